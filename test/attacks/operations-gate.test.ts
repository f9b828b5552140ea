import { parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { BEYOND, LARGE, web } from './gate-documents.ts'
import { productionAdmission } from './gate.ts'

const FROM_ROUTER = false
const REFUSALS = ['OPERATION_LIMIT_EXCEEDED', 'GRAPHQL_VALIDATION_FAILED', 'GRAPHQL_PARSE_FAILED']

/** Returns the codes with which an operation is refused; none if it is admitted. */
function codesOf(query: string, variables: Record<string, unknown> = {}): unknown[] {
  const admitted = productionAdmission().admit({ query, variables }, FROM_ROUTER)
  return 'document' in admitted ? [] : [...new Set(admitted.errors.map(({ extensions }) => extensions['code']))]
}

// promise(operations): An operation over a limit is refused before it is validated or executed.
describe('what goes beyond a limit, or is not valid', () => {
  it.each(BEYOND)('is refused: %s', (_name, query) => {
    const codes = codesOf(query)
    expect(codes).toHaveLength(1)
    expect(REFUSALS).toContain(codes[0])
  })

  it('is refused for its variables', () => {
    const query = 'query ($f: PaymentsFilter) { payments(filter: $f) { nodes { id } } }'
    const phases = Array.from({ length: 4_000 }, () => 'SUCCEDED')
    expect(codesOf(query, { f: { phases } })).toEqual(['BAD_USER_INPUT'])
    const most = Array.from({ length: 8_000 }, () => 'SUCCEEDED')
    expect(codesOf(query, { f: { phases: most } })).toEqual(['OPERATION_LIMIT_EXCEEDED'])
  })
})

it('refuses variables that are nested so deep that they can be read and not be written again', () => {
  const depth = 30_000
  const variables = JSON.parse(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`) as Record<string, unknown>
  const admitted = productionAdmission().admit({ query: '{ __typename }', variables }, FROM_ROUTER)
  expect(admitted).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] })
})

describe('what is as large as it may be', () => {
  it.each(LARGE)('is admitted: %s', (_name, query) => {
    expect(parse(query).tokenCount).toBeLessThanOrEqual(1_000)
    expect(codesOf(query)).toEqual([])
  })

  it('is kept, so that it is read once', () => {
    const { admit } = productionAdmission()
    const query = web(26)
    const first = admit({ query }, FROM_ROUTER)
    const second = admit({ query }, FROM_ROUTER)
    if (!('document' in first) || !('document' in second)) throw new Error('It did not pass.')
    expect(second.document).toBe(first.document)
  })
})

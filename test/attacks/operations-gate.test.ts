import { parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { shortestTime } from '../support/cpu-time.ts'
import { expectTook } from '../support/took.ts'
import { productionAdmission } from './gate.ts'

const FROM_ROUTER = false
/** Milliseconds of CPU time that one operation may take. */
const MOST_MS = 50
/** Milliseconds of CPU time to reject an operation that is too large. */
const REFUSED_MS = 20
/** On a slow machine admission may take this many times as long as GraphQL's own parser takes for the text there. */
const TIMES_PARSED = 3

const REFUSALS = ['OPERATION_LIMIT_EXCEEDED', 'GRAPHQL_VALIDATION_FAILED', 'GRAPHQL_PARSE_FAILED']

const many = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join(' ')

/** Admits the operation several times, each with an empty cache. Returns the CPU time in milliseconds and the error codes. */
function tried(bound: number, query: string, variables: Record<string, unknown> = {}) {
  let codes: unknown[] = []
  const ms = shortestTime(bound, () => {
    const admitted = productionAdmission().admit({ query, variables }, FROM_ROUTER)
    codes = 'document' in admitted ? [] : [...new Set(admitted.errors.map(({ extensions }) => extensions['code']))]
  })
  return { ms, codes }
}

const chain = (count: number, inner: string) =>
  `{ payments { nodes { ...F0 } } } ${many(count, (index) => `fragment F${index} on Payment { ...F${index + 1} ...F${index + 1} }`)} fragment F${count} on Payment { ${inner} }`
const web = (count: number) =>
  `{ payments { nodes { ...F0 } } } ${many(count, (index) => `fragment F${index} on Payment { ${many(count - index - 1, (other) => `...F${index + other + 1}`)} id }`)}`
const circle = (count: number) =>
  `{ payments { nodes { ${many(count, (index) => `...F${index}`)} } } } ${many(count, (index) => `fragment F${index} on Payment { ${many(count, (other) => `...F${other}`)} }`)}`

const BEYOND: readonly [string, string][] = [
  ['deep', `{ payment(id: 1) { ${'link { payment { '.repeat(200)} id ${'} '.repeat(400)} } }`],
  ['wide', `{ ${many(300, (index) => `a${index}: payment(id: 1) { id }`)} }`],
  ['thousand times wide', `{ ${many(10_000, (index) => `a${index}: payment(id: 1) { id }`)} }`],
  ['aliases', `{ payment(id: 1) { ${many(300, (index) => `a${index}: id`)} } }`],
  ['twenty thousand aliases', `{ payment(id: 1) { ${many(20_000, (index) => `a${index}: id`)} } }`],
  ['directives', `{ payment(id: 1) { id ${'@skip(if: true) '.repeat(150)} } }`],
  ['many kinds of directives', `{ payment(id: 1) { id ${many(300, (index) => `@a${index}`)} } }`],
  ['a field nine hundred times', `{ payments { nodes { ${'id '.repeat(900)} } } }`],
  ['an object two hundred times', `{ payments { nodes { ${'amount { value } '.repeat(200)} } } }`],
  ['a root field nine hundred times', `{ ${'__typename '.repeat(900)} }`],
  ['nothing but fragments around a field', `{ payments { nodes { ${'... { id } '.repeat(150)} } } }`],
  ['misspelt fields', `{ payments { nodes { ${many(900, (index) => `paymen${index}`)} } } }`],
  ['a bomb of fragments', chain(60, 'a: id')],
  ['a circle of fragments', circle(20)],
  [
    'a long circle of fragments',
    `{ ...F0 } ${many(100, (index) => `fragment F${index} on Query { ...F${(index + 1) % 100} }`)}`,
  ],
  ['a circle of one', '{ ...F } fragment F on Query { ...F }'],
  ['skipped fields that count', `{ payment(id: 1) { ${many(16, (index) => `a${index}: id @skip(if: true)`)} } }`],
  ['deep inline fragments', `{ ${'... { '.repeat(300)} a: id ${'} '.repeat(300)} }`],
  ['deep introspection', `{ __schema { types { ${'ofType { '.repeat(30)} name ${'} '.repeat(30)} } } }`],
  ['a list of literals', `{ payments(filter: { phases: [${'SUCCEEDED '.repeat(2_000)}] }) { nodes { id } } }`],
  ['lists in lists', `{ payments(filter: { reference: ${'['.repeat(400)}${']'.repeat(400)} }) { nodes { id } } }`],
  ['types in types', `query ($a: ${'['.repeat(400)}Int${']'.repeat(400)}) { __typename }`],
  ['tokens alone', '{'.repeat(1_000_000)],
  ['a megabyte of a name', `{ ${'a'.repeat(1_000_000)} }`],
  ['misspelt values', `{ payments(filter: { phases: [${'SUCCEDED '.repeat(900)}] }) { nodes { id } } }`],
  ['variables that are not used', `query (${many(190, (index) => `$a${index}: Int`)}) { __typename }`],
]

// promise(operations): An operation over a limit is refused before it is validated or executed.
describe('what goes beyond a limit, or is not valid', () => {
  it.each(BEYOND)('is refused in no time: %s', (_name, query) => {
    const { ms, codes } = tried(REFUSED_MS, query)
    expect(codes).toHaveLength(1)
    expect(REFUSALS).toContain(codes[0])
    expectTook(ms, REFUSED_MS)
  })

  it('is refused for its variables in no time', () => {
    const query = 'query ($f: PaymentFilter) { payments(filter: $f) { nodes { id } } }'
    const phases = Array.from({ length: 4_000 }, () => 'SUCCEDED')
    expect(tried(REFUSED_MS, query, { f: { phases } })).toMatchObject({ codes: ['BAD_USER_INPUT'] })
    const { ms, codes } = tried(REFUSED_MS, query, { f: { phases: Array.from({ length: 8_000 }, () => 'SUCCEEDED') } })
    expect(codes).toEqual(['OPERATION_LIMIT_EXCEEDED'])
    expectTook(ms, REFUSED_MS)
  })
})

it('refuses variables that are nested so deep that they can be read and not be written again', () => {
  const depth = 30_000
  const variables = JSON.parse(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`) as Record<string, unknown>
  const admitted = productionAdmission().admit({ query: '{ __typename }', variables }, FROM_ROUTER)
  expect(admitted).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] })
})

const LARGE: readonly [string, string][] = [
  [
    'ninety fragments in one place',
    `{ payments { nodes { ${many(90, (index) => `...F${index}`)} } } } ${many(90, (index) => `fragment F${index} on Payment { id }`)}`,
  ],
  ['a web of fragments', web(26)],
  ['a chain of fragments that doubles', chain(60, 'id')],
  ['a megabyte in a string', `{ payment(id: "${'a'.repeat(1_000_000)}") { id } }`],
  ['a megabyte in a block string', `{ payment(id: """${' a\n'.repeat(330_000)}""") { id } }`],
  ['escapes', `{ payment(id: "${String.raw`\u{1F600}\u0041`.repeat(60_000)}") { id } }`],
  ['a megabyte of comments', `# ${'a'.repeat(1_000_000)}\n{ __typename }`],
  ['a megabyte of commas', `{ __typename ${','.repeat(1_000_000)} }`],
  ['a list of nine hundred', `{ payments(filter: { phases: [${'SUCCEEDED '.repeat(900)}] }) { nodes { id } } }`],
]

describe('what is as large as it may be', () => {
  it.each(LARGE)('passes without holding up the rest: %s', (_name, query) => {
    expect(parse(query).tokenCount).toBeLessThanOrEqual(1_000)
    const most = Math.max(MOST_MS, TIMES_PARSED * shortestTime(MOST_MS / TIMES_PARSED, () => parse(query)))
    const { ms, codes } = tried(most, query)
    expect(codes).toEqual([])
    expectTook(ms, most)
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

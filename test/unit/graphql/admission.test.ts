import { buildSchema, getIntrospectionQuery } from 'graphql'
import { describe, expect, it } from 'vitest'
import { parseConfig } from '../../../src/config.ts'
import { createAdmission, type OperationPolicy } from '../../../src/graphql/admission/admission.ts'
import type { OperationRequest } from '../../../src/graphql/admission/read-request.ts'
import { createScalars } from '../../../src/graphql/schema/scalars.ts'

const schema = buildSchema(`
  type Query { open(at: Int, free: Free, of: Of): String, _service: String, secretary(kind: Kind): String }
  type Subscription { told: String }
  enum Kind { SECRET }
  scalar Free
  input Of { list: [Of], free: Free }
`)
const { parseLiteral, parseValue } = createScalars({ production: true }).JSONObject
Object.assign(schema.getType('Free') ?? {}, { parseLiteral, parseValue })
const defaults = parseConfig({})
if (!defaults.ok) throw new Error('There are no defaults.')
const { limits } = defaults.config
const OPEN: OperationPolicy = { limits, introspection: true, routerOnly: false, hideNames: false }
const GUARDED: OperationPolicy = { ...OPEN, introspection: false, routerOnly: true }

const admissionOf = (policy: OperationPolicy) => createAdmission({ schema, policy, trusted: null })

/** Returns the code of the refusal; null if the operation may run. */
function codeOf(policy: OperationPolicy, request: OperationRequest, fromRouter = false) {
  const admitted = admissionOf(policy).admit(request, fromRouter)
  return 'document' in admitted ? null : admitted.errors[0]?.extensions['code']
}

describe('introspection', () => {
  const query = '{ __schema { queryType { name } } }'

  it.each<[string, OperationPolicy, boolean, string | null]>([
    ['is given to the router', GUARDED, true, null],
    ['is given to nobody else', GUARDED, false, 'UNAUTHENTICATED'],
    ['is given to nobody else, although it is on', { ...GUARDED, introspection: true }, false, 'UNAUTHENTICATED'],
    ['is given to everyone where it is on', OPEN, false, null],
    ['is given to nobody where it is off', { ...OPEN, introspection: false }, true, 'GRAPHQL_VALIDATION_FAILED'],
  ])('%s', (_name, policy, fromRouter, code) => expect(codeOf(policy, { query }, fromRouter)).toBe(code))

  it('as tools ask for it is not too deep, and never stands in the way of __typename', () => {
    const full = {
      descriptions: true,
      specifiedByUrl: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
    }
    expect(codeOf(OPEN, { query: getIntrospectionQuery(full) })).toBeNull()
    expect(codeOf(GUARDED, { query: '{ __typename open }' })).toBeNull()
  })

  it('follows types only so far', () => {
    const nested = (depth: number) =>
      `{ __type(name: "Query") { ${'ofType { '.repeat(depth - 2)} name ${'} '.repeat(depth - 2)} } }`
    expect(codeOf(OPEN, { query: nested(20) })).toBeNull()
    expect(codeOf(OPEN, { query: nested(21) })).toBe('OPERATION_LIMIT_EXCEEDED')
  })
})

describe("the router's fields", () => {
  it('are asked for by the operation that is run, and not by its neighbours', () => {
    const query = 'query One { open } query Two { _service }'
    expect(codeOf(GUARDED, { query, operationName: 'One' })).toBeNull()
    expect(codeOf(GUARDED, { query, operationName: 'Two' })).toBe('UNAUTHENTICATED')
    expect(codeOf(GUARDED, { query, operationName: 'Two' }, true)).toBeNull()
  })

  it('stay closed for a text that the router has sent before', () => {
    const { admit } = admissionOf(GUARDED)
    expect(admit({ query: '{ _service }' }, true)).toHaveProperty('document')
    expect(admit({ query: '{ _service }' }, false)).toMatchObject({
      errors: [{ extensions: { code: 'UNAUTHENTICATED' } }],
    })
  })
})

describe('the operation that is run', () => {
  it.each<[string, OperationRequest, string | null]>([
    ['is the only one', { query: '{ open }' }, null],
    ['is the only one, by its name', { query: 'query One { open }', operationName: 'One' }, null],
    ['is none where there are two', { query: 'query One { open } query Two { open }' }, 'OPERATION_RESOLUTION_FAILURE'],
    ['is none by another name', { query: 'query One { open }', operationName: 'Two' }, 'OPERATION_RESOLUTION_FAILURE'],
    ['is none in a document of types', { query: 'type Query { open: String }' }, 'GRAPHQL_VALIDATION_FAILED'],
    ['is none in an empty text', { query: '' }, 'BAD_REQUEST'],
    ['is none in white space', { query: ' ' }, 'GRAPHQL_PARSE_FAILED'],
  ])('%s', (_name, request, code) => expect(codeOf(OPEN, request)).toBe(code))

  it('holds every operation of a document to the limits', () => {
    const query = `query Small { open } query Large { ${'open '.repeat(17)} }`
    expect(codeOf(OPEN, { query, operationName: 'Small' })).toBe('OPERATION_LIMIT_EXCEEDED')
  })

  it('has the values of its variables', () => {
    const request = {
      query: 'query One($at: Int) { open(at: $at) } query Two { open }',
      operationName: 'One',
      variables: { at: 1 },
    }
    const admitted = admissionOf(OPEN).admit(request, false)
    expect(admitted).toMatchObject({ node: { name: { value: 'One' } }, variables: { at: 1 } })
  })
})

describe('a document that was admitted', () => {
  it('is kept for the next request with its text', () => {
    const { admit } = admissionOf(OPEN)
    const [first, second] = [1, 2].map(() => admit({ query: '{ open }' }, false))
    if (first === undefined || !('document' in first)) throw new Error('It was refused.')
    expect(second).toHaveProperty('document', first.document)
  })
})

describe('a mistake', () => {
  const messages = (policy: OperationPolicy, request: OperationRequest) => {
    const admitted = admissionOf(policy).admit(request, false)
    return 'document' in admitted ? [] : admitted.errors.map(({ message }) => message)
  }

  it.each<[OperationRequest, string, string]>([
    [
      { query: '{ opne }' },
      'Cannot query field "opne" on type "Query". Did you mean "open"?',
      'Cannot query field "opne" on type "…".',
    ],
    [
      { query: '{ secretary(kind: SECRTE) }' },
      'Invalid value at "kind"; Value "SECRTE" does not exist in "Kind" enum. Did you mean the enum value "SECRET"?',
      'Invalid value at "kind"; Value "SECRTE" does not exist in "…" enum.',
    ],
    [
      { query: 'query ($k: [Kind]) { secretary(kind: $k) }' },
      'Variable "$k" of type "[Kind]" used in position expecting type "Kind".',
      'Variable "$k" of type "[Kind]" used in position expecting type "Kind".',
    ],
    [
      { query: 'query ($at: Int) { open(at: $at) }', variables: { at: 'x' } },
      'Variable "$at" got invalid value "x"; Int cannot represent non-integer value: "x"',
      'Variable "$at" got invalid value "x"; Int cannot represent non-integer value: "x"',
    ],
    [
      { query: '{ open(of: { list: [{}, { free: { x: -1e999 } }] }) }' },
      'Invalid value at "of.list[1].free"; JSONObject must not contain a number that is not finite, as x is.',
      'Invalid value at "of.list[1].free"; JSONObject must not contain a number that is not finite, as x is.',
    ],
    [
      { query: 'query ($free: Free = { x: [1e999] }) { open(free: $free) }' },
      'Invalid value at "$free"; JSONObject must not contain a number that is not finite, as x.0 is.',
      'Invalid value at "$free"; JSONObject must not contain a number that is not finite, as x.0 is.',
    ],
    [
      {
        query: 'query ($of: Of) { open(of: $of) }',
        variables: { of: { list: [{ free: { text: 'x'.repeat(200), count: Infinity } }] } },
      },
      'Invalid value at "of.list[0].free"; JSONObject must not contain a number that is not finite, as count is.',
      'Invalid value at "of.list[0].free"; JSONObject must not contain a number that is not finite, as count is.',
    ],
    [
      { query: '{ open(free: 1e999) }' },
      'Invalid value at "free"; JSONObject must be an object.',
      'Invalid value at "free"; JSONObject must be an object.',
    ],
  ])('in %j is told with names in development, and without in production', (request, development, production) => {
    expect(messages(OPEN, request)).toEqual([development])
    expect(messages({ ...OPEN, hideNames: true }, request)).toEqual([production])
  })

  it('names the place of what is too deep to be written as JSON', () => {
    const query = 'query ($free: Free) { open(free: $free) }'
    const variables = JSON.parse(`{"free":{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`) as { free: object }
    expect(messages(OPEN, { query, variables })).toEqual([expect.stringMatching(/\$free.*16 levels/)])
  })

  it('is told five times at most', () => {
    const query = `{ ${Array.from({ length: 10 }, (_, index) => `a${index}`).join(' ')} }`
    expect(messages(OPEN, { query })).toHaveLength(6)
    expect(messages(OPEN, { query })[5]).toMatch(/Too many validation errors/)
  })
})

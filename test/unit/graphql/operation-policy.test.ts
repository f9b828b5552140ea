import { buildSchema, getOperationAST, parse, specifiedRules, validate } from 'graphql'
import { describe, expect, it } from 'vitest'
import { extraRules, routerRefusal, type OperationPolicy } from '../../../src/graphql/operation-policy.ts'

const GUARDED: OperationPolicy = { maxTokens: 1_000, introspection: false, routerOnly: true }
const OPEN: OperationPolicy = { maxTokens: 1_000, introspection: true, routerOnly: false }

function refusal(query: string, policy: OperationPolicy, fromRouter = false, operationName?: string) {
  const document = parse(query)
  const operation = getOperationAST(document, operationName)
  if (operation == null) throw new Error('There is no such operation.')
  return routerRefusal(document, operation, policy, fromRouter)
}

const FOR_THE_ROUTER = [
  '{ _service { sdl } }',
  '{ _entities(representations: []) { __typename } }',
  '{ __schema { types { name } } }',
  '{ __type(name: "Query") { name } }',
  '{ open _service { sdl } }',
  '{ open: _service { sdl } }',
  '{ ... { _service { sdl } } }',
  '{ ... on Query { ... { __schema { types { name } } } } }',
  '{ ...A } fragment A on Query { _service { sdl } }',
  '{ ...A } fragment A on Query { ...B } fragment B on Query { ... on Query { _service { sdl } } }',
  '{ ...A ...B } fragment A on Query { open } fragment B on Query { ...A _service { sdl } }',
  '{ ...A } fragment A on Query { ...B open } fragment B on Query { ...A _service { sdl } }',
  'query ($yes: Boolean!) { _service @include(if: $yes) { sdl } }',
]

const FOR_EVERYONE = [
  '{ open }',
  '{ _service: open }',
  '{ __typename }',
  '{ open { _service } }',
  '{ ...A } fragment A on Query { open } fragment Unused on Query { _service { sdl } }',
  '{ ...Missing }',
  '{ ...A } fragment A on Query { ...A }',
  '{ ...A ...B } fragment A on Query { ...B } fragment B on Query { ...A }',
  'query One { open }',
]

describe('where a router is expected', () => {
  it.each(FOR_THE_ROUTER)('only the router may ask %s', (query) => {
    expect(refusal(query, GUARDED)).toMatchObject({ extensions: { code: 'FORBIDDEN', http: { status: 403 } } })
    expect(refusal(query, GUARDED, true)).toBeNull()
    expect(refusal(query, OPEN)).toBeNull()
  })

  it.each(FOR_EVERYONE)('everyone may ask %s', (query) => expect(refusal(query, GUARDED)).toBeNull())

  it('the operation that is run counts, and not its neighbours', () => {
    const document = 'query One { open } query Two { _service { sdl } }'
    expect(refusal(document, GUARDED, false, 'One')).toBeNull()
    expect(refusal(document, GUARDED, false, 'Two')).not.toBeNull()
  })

  it('a maze of fragments is looked through in no time', () => {
    const count = 300
    const all = Array.from({ length: count }, (_, index) => `...F${index}`).join(' ')
    const fragments = Array.from({ length: count }, (_, index) => `fragment F${index} on Query { ${all} open }`)
    const begun = performance.now()
    expect(refusal(`{ ${all} } ${fragments.join(' ')}`, GUARDED)).toBeNull()
    expect(performance.now() - begun).toBeLessThan(2_000)
  })
})

describe('introspection', () => {
  const schema = buildSchema('type Query { open: String }')
  const document = parse('{ __schema { queryType { name } } }')

  it.each([
    ['to the router', { ...GUARDED }, true, true],
    ['to nobody else', { ...GUARDED }, false, false],
    ['to nobody else, although it is on', { ...GUARDED, introspection: true }, false, false],
    ['to everyone where it is on', { ...OPEN }, false, true],
    ['to nobody where it is off', { ...OPEN, introspection: false }, false, false],
  ])('is given %s', (_name, policy, fromRouter, given) => {
    const errors = validate(schema, document, [...specifiedRules, ...extraRules(policy, fromRouter)])
    expect(errors.length === 0).toBe(given)
  })

  it('never stands in the way of __typename', () => {
    const rules = [...specifiedRules, ...extraRules(GUARDED, false)]
    expect(validate(schema, parse('{ __typename open }'), rules)).toEqual([])
  })
})

import { buildSchema, Kind, parse, type OperationDefinitionNode } from 'graphql'
import { describe, expect, it } from 'vitest'
import { createCachePolicy } from '../../../src/graphql/engine/cache-policy.ts'
import { createSchema } from '../../../src/graphql/schema/schema.ts'

const policy = createCachePolicy(createSchema({ production: false }))

function secondsOf(text: string, name?: string): number | null {
  const document = parse(text)
  const operation = document.definitions.find(
    (definition): definition is OperationDefinitionNode =>
      definition.kind === Kind.OPERATION_DEFINITION && (name === undefined || definition.name?.value === name),
  )
  if (operation === undefined) throw new Error('There is no such operation.')
  return policy(document, operation)
}

describe('the policy of an answer', () => {
  it.each<[string, number | null]>([
    ['{ payinMethods { nodes { code name requiredFields { name } } stale } }', 300],
    ['{ payinMethod(code: "x") { code } }', 300],
    ['{ paymentCurrencies { code enabled } }', 3600],
    ['{ a: paymentCurrencies { code } b: payinMethod(code: "x") { code } __typename }', 300],
    [
      '{ ...F } fragment F on Query { ... on Query { paymentCurrencies { ...C } } } fragment C on PaymentCurrency { code }',
      3600,
    ],
    ['query Q($if: Boolean!) { paymentCurrencies { code } payinMethods @include(if: $if) { stale } }', 300],
    ['{ paymentCurrencies { code } paymentLink(id: "x") { id } }', null],
    ['{ paymentCurrencies { code } ... on Query { payment(id: "x") { id } } }', null],
    ['{ paymentCurrencies { code } payments { nodes { id } } }', null],
    ['query Q($if: Boolean!) { paymentCurrencies { code } payments @include(if: $if) { nodes { id } } }', null],
    ['{ payoutMethods { nodes { code } } }', null],
    ['{ payout(id: "x") { id } }', null],
    ['{ _service { sdl } }', null],
    [
      '{ _entities(representations: []) { ... on PaymentCurrency { code } ... on PayinMethod { __typename code name } } }',
      300,
    ],
    ['{ _entities(representations: []) { __typename ... on PayinMethod { code } } }', null],
    ['{ _entities(representations: []) { ... on PayinMethod { code } ... on Payment { id } } }', null],
    ['{ _entities(representations: []) { ... on PayoutMethod { code } } }', null],
    ['{ __schema { queryType { name } } }', null],
    ['{ paymentCurrencies { code } __type(name: "Payment") { name } }', null],
    ['{ __typename }', null],
    ['mutation { refreshPayment(id: "x") { __typename } }', null],
    ['subscription { paymentEventStream { kind } }', null],
  ])('%s', (text, seconds) => {
    expect(secondsOf(text)).toBe(seconds)
  })

  it('is that of the operation, not of its document', () => {
    const text = 'query Open { paymentCurrencies { code } } query Own { payments { nodes { id } } }'
    expect([secondsOf(text, 'Open'), secondsOf(text, 'Own')]).toEqual([3600, null])
  })

  it('is private for what is below a public field and asks for a scope, or says that it is private', () => {
    const sdl = `directive @cacheControl(maxAge: Int, scope: CacheControlScope, inheritMaxAge: Boolean) on FIELD_DEFINITION | OBJECT | INTERFACE
      enum CacheControlScope { PUBLIC PRIVATE }
      directive @requiresScopes(scopes: [[String!]!]!) on FIELD_DEFINITION | OBJECT
      interface Thing { id: ID! owner: ID }
      type Book implements Thing { id: ID! owner: ID price: Int @cacheControl(maxAge: 10) }
      type Car implements Thing { id: ID! owner: ID @requiresScopes(scopes: [["a"]]) secret: Secret }
      type Secret @requiresScopes(scopes: [["a"]]) { text: ID }
      type Query {
        thing: Thing @cacheControl(maxAge: 60, scope: PUBLIC)
        mine: Thing @cacheControl(maxAge: 60, scope: PRIVATE)
        never: ID @cacheControl(maxAge: 0, scope: PUBLIC)
        unsaid: ID @cacheControl(maxAge: 60)
      }`
    const small = createCachePolicy(buildSchema(sdl))
    const seconds = (text: string) => {
      const document = parse(text)
      return small(document, document.definitions[0] as OperationDefinitionNode)
    }
    expect(seconds('{ thing { id } }')).toBe(60)
    expect(seconds('{ thing { id ... on Book { price } } }')).toBe(10)
    expect(seconds('{ thing { ... on Book { owner } } }')).toBe(60)
    for (const text of [
      '{ thing { owner } }',
      '{ thing { ... on Car { owner } } }',
      '{ thing { ... on Car { secret { text } } } }',
      '{ mine { id } }',
      '{ never }',
      '{ unsaid }',
    ])
      expect([text, seconds(text)]).toEqual([text, null])
  })
})

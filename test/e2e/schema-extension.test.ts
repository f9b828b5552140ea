import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Caller } from '../../src/access/caller.ts'
import { createSchema } from '../../src/graphql/schema/schema.ts'
import { type Network, startNetwork } from '../support/network.ts'

const subjectOf = ({ caller }: { readonly caller: Caller }) => (caller.kind === 'client' ? caller.subject : null)
const extension = {
  typeDefs: `
    extend type Query {
      shopReport: ShopReport @requiresScopes(scopes: [["payments:reconcile"]])
      shopFault: Int
    }
    extend type Mutation { countShopVisit: Int! }
    extend type PaymentCurrency { askedBy: String }
    extend type PaymentStreamItem { askedBy: String }
    type ShopReport { rows: [Int!]! @listSize(assumedSize: 1000) }`,
  resolvers: {
    Query: {
      shopReport: () => ({ rows: [1, 2] }),
      shopFault() {
        throw new Error('payer@example.test')
      },
    },
    Mutation: { countShopVisit: () => 1 },
    PaymentCurrency: { askedBy: (_: unknown, _args: unknown, context: { caller: Caller }) => subjectOf(context) },
    PaymentStreamItem: { askedBy: (_: unknown, _args: unknown, context: { caller: Caller }) => subjectOf(context) },
  },
}

let network: Network
beforeAll(async () => void (network = await startNetwork({ extensions: { extension } })))
afterAll(() => network.close())

const codesOf = ({ errors }: { errors?: readonly { extensions?: Record<string, unknown> }[] }) =>
  errors?.map(({ extensions }) => extensions?.['code'])

describe('fields of the program that embeds the subgraph', () => {
  it('are answered, and in no shared cache, also where their parent is', async () => {
    const query = '{ paymentCurrencies { code askedBy } }'
    for (const subject of ['anna', 'ben']) {
      const { data } = await network.ask<{ paymentCurrencies: object[] }>(
        query,
        {},
        { token: await network.token({ subject }) },
      )
      expect(data.paymentCurrencies[0]).toMatchObject({ askedBy: subject })
    }
    const cached = async (text: string) =>
      (
        await fetch(`${network.app.url}/graphql?query=${encodeURIComponent(text)}`, {
          headers: { 'apollo-require-preflight': '1' },
        })
      ).headers.get('cache-control')
    expect([await cached(query), await cached('{ paymentCurrencies { code } }')]).toEqual([
      'private, no-store',
      'public, max-age=3600',
    ])
  })

  it('are answered to each subscriber of a stream by its own rights and subject', async () => {
    const query = 'subscription { paymentEventStream { kind askedBy } }'
    const read = async (subject: string) => {
      const stream = await network.follow(query, {}, { token: await network.token({ subject }) })
      const [item] = await stream.until(({ kind }) => kind === 'CAUGHT_UP')
      await stream.end()
      return item
    }
    expect(await Promise.all([read('anna'), read('ben')])).toMatchObject([{ askedBy: 'anna' }, { askedBy: 'ben' }])
  })

  it('keep rights, limits and the masking of errors', async () => {
    const token = await network.token({ scopes: ['payments:read'] })
    expect(codesOf(await network.ask('{ shopReport { rows } }', {}, { token }))).toEqual(['FORBIDDEN'])
    expect((await network.ask('{ shopReport { rows } }')).data).toEqual({ shopReport: { rows: [1, 2] } })
    const fault = await network.ask('{ shopFault }')
    expect(codesOf(fault)).toEqual(['INTERNAL_SERVER_ERROR'])
    expect(JSON.stringify(fault) + network.log()).not.toContain('payer@example.test')
    const deep = `{ ${Array.from({ length: 200 }, (_, at) => `a${at}: shopReport { rows }`).join(' ')} }`
    expect((await network.ask(deep)).errors).toHaveLength(1)
    expect((await network.ask('mutation { countShopVisit }')).data).toEqual({ countShopVisit: 1 })
  })

  it('are part of the SDL', async () => {
    const { data } = await network.ask<{ _service: { sdl: string } }>('{ _service { sdl } }')
    expect(data._service.sdl).toContain('type ShopReport')
  })
})

it.each<[string, string, Record<string, Record<string, unknown>>]>([
  [
    'a resolver of a field that is there',
    'extend type Payment { note: String }',
    { Payment: { status: () => 'PAID' } },
  ],
  [
    'a reference resolver of a type that is there',
    'extend type Payment { note: String }',
    { Payment: { __resolveReference: () => ({}) } },
  ],
  ['a field that is there', 'extend type Query { payment(id: ID!): Payment }', { Query: { payment: () => null } }],
  ['a type that is there', 'type Payment { id: ID! }', { Payment: { id: () => 'x' } }],
  ['a subscription', 'extend type Subscription { shopStream: Int }', {}],
  ['a scope that does not exist', 'extend type Query { note: Int @requiresScopes(scopes: [["shop:read"]]) }', {}],
  ['a directive that is not enforced', 'extend type Query { note: Int @authenticated }', {}],
])('%s is refused at the start', (_what, typeDefs, resolvers) => {
  expect(() => createSchema({ production: false, extension: { typeDefs, resolvers } })).toThrow(
    /extension of the schema cannot|schema asks for/,
  )
})

import { parse } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { CREATE_LINK, linkInput } from '../support/operations.ts'
import { greetedSocket } from '../support/socket.ts'
import { TRANSPORTS, type Sent } from '../support/transports.ts'

let network: Network
let token: string
beforeAll(async () => {
  network = await startNetwork({ env: { GRAPHQL_LIMITS: 'cost=1000' } })
  token = await network.token()
})
afterAll(() => network.close())

const times = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join(' ')

/** Returns a query of exactly this many tokens, by the length of a list in it. */
function tokens(count: number): string {
  const withPhases = (phases: number) =>
    `{ payments(first: 1, filter: { phases: [${'SUCCEEDED '.repeat(phases)}] }) { nodes { id } } }`
  return withPhases(count - (parse(withPhases(0)).tokenCount ?? 0))
}

function depth(count: number): string {
  const path = [
    'payment(id: "none")',
    ...Array.from({ length: count - 2 }, (_, level) => (level % 2 === 0 ? 'link' : 'payment')),
  ]
  return `{ ${path.map((field) => `${field} {`).join(' ')} id ${'}'.repeat(path.length)} }`
}

/** Three pages that cost 301 each, and one that costs its number of items plus one. */
const PRICED = `query Priced($n: Int!) {
  ${times(3, (index) => `p${index}: payments(first: 100) { nodes { card { last4 } failure { code } } }`)}
  rest: payments(first: $n) { nodes { id } }
}`

const ENTITIES = 'query ($all: [_Any!]!) { _entities(representations: $all) { __typename } }'
const currencies = (count: number) =>
  Array.from({ length: count }, () => ({ __typename: 'PaymentCurrency', code: 'AUD' }))

const BY_ID = 'query ($id: ID!) { payment(id: $id) { id } }'
/** Returns variables of exactly this many bytes of JSON, in characters of two bytes. */
function bytes(count: number): Sent {
  const frame = Buffer.byteLength(JSON.stringify({ id: '' }))
  const id = 'é'.repeat(Math.floor((count - frame) / 2)) + 'e'.repeat((count - frame) % 2)
  return { query: BY_ID, variables: { id } }
}

const EDGES: readonly [limit: string, maximum: number, make: (count: number) => Sent][] = [
  ['tokens', 1_000, (count) => ({ query: tokens(count) })],
  ['depth', 10, (count) => ({ query: depth(count) })],
  ['depth', 10, (count) => ({ query: `{ ...F } fragment F on Query ${depth(count)}` })],
  ['aliases', 15, (count) => ({ query: `{ payment(id: "none") { ${times(count, (index) => `a${index}: id`)} } }` })],
  ['aliases', 15, (count) => ({ query: `{ payment(id: "none") { id ${'id '.repeat(count)} } }` })],
  [
    'length of an alias',
    128,
    (count) => ({ query: `{ ...F } fragment F on Query { ${'a'.repeat(count)}: __typename }` }),
  ],
  ['root fields', 10, (count) => ({ query: `{ ${times(count, (index) => `a${index}: __typename`)} }` })],
  [
    'directives',
    10,
    (count) => ({
      query: `{ payment(id: "none") { ${'...F @include(if: true) '.repeat(count)} } } fragment F on Payment { id }`,
    }),
  ],
  ['cost', 1_000, (count) => ({ query: PRICED, variables: { n: count - 904 } })],
  ['entities', 100, (count) => ({ query: ENTITIES, variables: { all: currencies(count) } })],
  ['bytes of variables', 50 * 1024, bytes],
]

// promise(operations): The same limits of size, depth, cost and time hold on every transport (`GRAPHQL_LIMITS`).
describe.each(TRANSPORTS)('over $name', ({ run }) => {
  it.each(EDGES)('an operation at the limit for %s, %i, runs; one beyond it does not', async (limit, maximum, make) => {
    const atLimit = await run(network, make(maximum), token)
    expect(atLimit.errors).toBeUndefined()
    expect(atLimit.data).toBeTypeOf('object')
    const beyond = await run(network, make(maximum + 1), token)
    expect(beyond.data).toBeUndefined()
    expect(beyond.errors).toEqual([
      expect.objectContaining({ extensions: { code: 'OPERATION_LIMIT_EXCEEDED', limit, maximum } }),
    ])
  })

  it.each<[string, (first: number) => Sent]>([
    ['a literal', (first) => ({ query: `{ payments(first: ${first}) { nodes { id } } }` })],
  ])('a page has 100 items at most, by %s', async (_how, make) => {
    expect((await run(network, make(100), token)).errors).toBeUndefined()
    const { errors, data } = await run(network, make(101), token)
    expect(data).toBeUndefined()
    expect(errors).toMatchObject([
      { message: 'first must lie between 1 and 100', extensions: { code: 'BAD_USER_INPUT', argument: 'first' } },
    ])
  })

  it('a mutation that goes beyond a limit changes nothing', async () => {
    const before = network.sandbox.control.state().counters.links
    const query = CREATE_LINK.replace(
      'createPaymentLink(',
      `${times(11, (index) => `a${index}: __typename`)} createPaymentLink(`,
    )
    const { errors } = await run(network, { query, variables: { input: linkInput() } }, token)
    expect(errors).toMatchObject([{ extensions: { limit: 'root fields' } }])
    expect(network.sandbox.control.state().counters.links).toBe(before)
  })
})

describe('a stream', () => {
  it.each([
    'subscription { paymentEventStream @skip(if: true) { kind } }',
    'subscription ($no: Boolean = false) { paymentEventStream @include(if: $no) { kind } }',
    'subscription { ... @skip(if: true) { paymentEventStream { kind } } }',
    'subscription { ...F @include(if: false) } fragment F on Subscription { paymentEventStream { kind } }',
  ])('that leaves its field out is refused, and its socket stays: %s', async (query) => {
    const socket = await greetedSocket(network.app.url, { token })
    socket.send({ id: '1', type: 'subscribe', payload: { query } })
    expect(await socket.next()).toMatchObject({ id: '1', type: 'error' })
    socket.send({ id: '2', type: 'subscribe', payload: { query: '{ __typename }' } })
    expect(await socket.next()).toMatchObject({ id: '2', type: 'next' })
    socket.close()
  })
})

describe('limits that were set', () => {
  let strict: Network
  beforeAll(async () => {
    strict = await startNetwork({
      env: {
        GRAPHQL_LIMITS:
          'tokens=40,depth=3,aliases=1,rootFields=2,directives=1,cost=30,page=20,entities=2,variableBytes=150,bodyBytes=2000',
      },
    })
  })
  afterAll(() => strict.close())

  it.each(TRANSPORTS)('are held over $name', async ({ run }) => {
    const limitOf = async (operation: Sent) => {
      const { errors } = await run(strict, operation, await strict.token())
      return errors?.map(({ message, extensions }) => extensions?.['limit'] ?? message)
    }
    expect(await limitOf({ query: '{ payments(first: 20) { nodes { id } } }' })).toBeUndefined()
    expect(await limitOf({ query: tokens(41) })).toEqual(['tokens'])
    expect(await limitOf({ query: depth(4) })).toEqual(['depth'])
    expect(await limitOf({ query: '{ a: __typename b: __typename }' })).toEqual(['aliases'])
    expect(await limitOf({ query: '{ __typename a: __typename payment(id: 1) { id } }' })).toEqual(['root fields'])
    expect(await limitOf({ query: '{ __typename @skip(if: false) @include(if: true) }' })).toEqual(['directives'])
    expect(
      await limitOf({
        query:
          '{ payments(first: 20) { nodes { id } } payouts(from: "2026-01-01", to: "2026-01-02") { nodes { id } } }',
      }),
    ).toEqual(['cost'])
    expect(await limitOf({ query: '{ payments(first: 21) { nodes { id } } }' })).toEqual([
      'first must lie between 1 and 20',
    ])
    expect(await limitOf({ query: ENTITIES, variables: { all: currencies(2) } })).toBeUndefined()
    expect(await limitOf(bytes(151))).toEqual(['bytes of variables'])
  })
})

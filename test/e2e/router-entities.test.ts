import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAgreement, NO_ANSWER } from '../support/agreements.ts'
import { contactInput, customerInput, gatewayInput, payeeInput, payoutInput } from '../support/inputs.ts'
import { asked as sent, made, mutate } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { greetedSocket } from '../support/socket.ts'
import { paidStream } from '../support/streams.ts'

const headers = { 'x-router-secret': 'secret-of-the-router-1' }
const ENTITIES = `query Entities($representations: [_Any!]!) {
  _entities(representations: $representations) {
    __typename
    ... on PaymentLink { id reference state owner { id } checkoutUrl requestedAmount { value } }
    ... on Payment { id status version total { value } }
    ... on PaymentEvent { id kind toStatus }
    ... on PayinMethod { code name }
    ... on PayoutMethod { code currency }
    ... on PaymentCurrency { currencyCode: code exponent }
    ... on PaymentAgreement { id clientTransactionId agreementStatus: status }
    ... on PaymentPayout { id payoutStatus: status }
    ... on GatewayPayment { id gatewayStatus: status }
    ... on PaymentRefund { id refundState: state } ... on PayoutTransaction { id payoutId }
    ... on PaymentCustomer { id emailMasked } ... on PaymentContact { id emailMasked }
  }
}`

/** Forged values for every field that an entity can have. */
const FORGED = {
  id: 'forged',
  reference: 'forged',
  checkoutUrl: 'https://evil.test/',
  owner: { id: 'stranger' },
  status: 'received',
  state: 'PAID',
  version: 99,
  amount: { value: '0', currency: 'AUD' },
  code: 'forged',
  exponent: 9,
  kind: 'forged',
  toStatus: 'forged',
  clientTransactionId: 'forged',
  link: { id: 'forged', owner: { id: 'stranger' } },
  payment: { id: 'forged', status: 'received' },
  payout: { id: 'forged' },
  payoutId: 'forged',
  transactions: [],
  details: { total: '0' },
  linkRef: 'forged',
}

type Entity = Readonly<Record<string, unknown>>
type Answer = { data: { _entities: (Entity | null)[] }; errors?: { path: unknown[]; extensions: { code: string } }[] }

let network: Network
/** One entity of each type, by its key. */
let real: readonly Entity[]
beforeAll(async () => {
  network = await startNetwork({ env: { ROUTER_SECRETS: headers['x-router-secret'] }, sandbox: NO_ANSWER })
  const { link, items, paymentId } = await paidStream(network)
  const agreement = await createAgreement(network)
  const payout = await made(mutate(network, 'createPayout', payoutInput({ transactions: [payeeInput()] })), 'payout')
  const gateway = await mutate(network, 'createGatewayPayment', gatewayInput())
  await network.sandbox.control.setStatus(link.id, 'return_received')
  await network.app.settle()
  const customer = await made(mutate(network, 'createPaymentCustomer', customerInput()), 'customer')
  const { contact } = await mutate(network, 'createPaymentContact', contactInput())
  real = [
    { __typename: 'PaymentLink', id: link.id },
    { __typename: 'Payment', id: paymentId },
    { __typename: 'PaymentEvent', id: items.at(-1)?.event?.id },
    { __typename: 'PayinMethod', code: 'au_card_aud' },
    { __typename: 'PayoutMethod', code: 'au_bank_aud' },
    { __typename: 'PaymentCurrency', code: 'AUD' },
    { __typename: 'PaymentAgreement', id: agreement.id },
    { __typename: 'PaymentPayout', id: payout.id },
    { __typename: 'GatewayPayment', id: String(gateway['paymentId']) },
    { __typename: 'PaymentRefund', id: `${paymentId}-1` },
    { __typename: 'PaymentCustomer', id: customer.id },
    { __typename: 'PaymentContact', id: contact?.id },
    { __typename: 'PayoutTransaction', id: payout.transactions[0]?.id, payoutId: payout.id },
  ]
})
afterAll(() => network.close())

/** Returns the answer to the router, which must be the same over HTTP and on a socket. */
async function entities(representations: readonly unknown[], token?: string | null): Promise<Answer> {
  const given = token === undefined ? await network.token() : token
  const variables = { representations }
  const answer = (await network.ask(ENTITIES, variables, { token: given, headers })) as unknown as Answer
  const socket = await greetedSocket(network.app.url, given === null ? {} : { token: given }, { headers })
  socket.send({ id: '1', type: 'subscribe', payload: { query: ENTITIES, variables } })
  const { payload } = await socket.next()
  socket.close()
  const { data, errors = [] } = answer
  expect(payload).toMatchObject({ data, ...(errors.length > 0 ? { errors } : {}) })
  return { data: { _entities: data._entities.map(withCode) }, errors }
}

/** `code` has another type on currencies than on methods, so the query aliases it. */
function withCode(entity: Entity | null): Entity | null {
  if (entity?.['__typename'] !== 'PaymentCurrency') return entity
  const { currencyCode, ...rest } = entity
  return { ...rest, code: currencyCode }
}

const keyOf = (entity: Entity): string => Object.keys(entity).find((name) => name !== '__typename') ?? ''
const refused = (index: number) => ({ path: ['_entities', index], extensions: { code: 'BAD_USER_INPUT' } })

const CARD = `
  __typename id reference checkoutUrl description createdAt expiresAt state
  requestedAmount { value currency exponent }
  method { code name }
  payment {
    id status phase terminal version updatedAt
    amount { value currency } total { value currency } paid { value currency } refunded { value currency }
    method { code name } card { brand type last4 } failure { code category } nextAction { __typename }
  }`
const CARDS = `query Cards($representations: [_Any!]!) {
  _entities(representations: $representations) { ... on PaymentLink { ${CARD} } }
}`

/** Representations of links: every second one is the real link, the others are unknown, so that the store is asked for each. */
function linksOf(count: number): Entity[] {
  return Array.from({ length: count }, (_, index) =>
    index % 2 === 0 ? { ...real[0] } : { ...real[0], id: randomUUID() },
  )
}

/** Returns a representation with the real key and forged other fields. */
function forgedAs(entity: Entity): Entity {
  return { ...FORGED, clientTransactionId: undefined, ...entity }
}

// promise(authentication): Entity representations are resolved by key with the caller's rights; their other fields are
// not trusted.
describe('a representation', () => {
  it('is known for every type that has a key', async () => {
    const { data } = await network.ask<{ __type: { possibleTypes: { name: string }[] } }>(
      '{ __type(name: "_Entity") { possibleTypes { name } } }',
      {},
      { headers },
    )
    const names = data.__type.possibleTypes.map(({ name }) => name)
    // The stub of an owner is resolved by another subgraph.
    expect(new Set([...real.map(({ __typename }) => __typename), 'PaymentOwner'])).toEqual(new Set(names))
    const { data: found, errors } = await entities(real)
    expect(errors).toEqual([])
    expect(found._entities).toMatchObject(real)
  })

  it('is believed in nothing but its key', async () => {
    const { data } = await entities(real)
    const forged = await entities(real.map(forgedAs))
    expect(forged).toEqual({ data, errors: [] })
  })

  it('with a key that is made up is null, whatever else it says', async () => {
    for (const key of [randomUUID(), '', '%', "' OR 1=1 --", '../1', '\u0000', 'x'.repeat(1_000)]) {
      const asked = real.map((entity) => ({ ...FORGED, __typename: entity['__typename'], [keyOf(entity)]: key }))
      const { data, errors } = await entities(asked)
      expect(data._entities.filter((entity) => entity !== null)).toEqual([])
      expect(errors).toEqual([])
    }
  })

  it('with the key of another type is null', async () => {
    const asked = real.flatMap((one) =>
      real
        .filter((other) => other !== one && keyOf(other) === keyOf(one))
        .map((other) => Object.assign({ ...one }, { [keyOf(one)]: other[keyOf(other)] })),
    )
    expect(asked.length).toBeGreaterThan(20)
    const { data, errors } = await entities(asked)
    expect(data._entities.filter((entity) => entity !== null)).toEqual([])
    expect(errors).toEqual([])
  })

  it('whose key is no ID is null with an error of its own, and those beside it are answered', async () => {
    const currency = { __typename: 'PaymentCurrency', code: 'AUD' }
    for (const key of [0.5, true, null, [], ['AUD'], {}, { $gt: '' }, { toString: 'AUD' }]) {
      const wrong = real.map((entity) => ({ ...entity, [keyOf(entity)]: key }))
      const { data, errors } = await entities(wrong.flatMap((entity) => [entity, currency]))
      expect(data._entities).toMatchObject(wrong.flatMap(() => [null, currency]))
      expect(errors).toMatchObject(wrong.map((_entity, index) => refused(2 * index)))
    }
  })

  it.each([
    'Nobody',
    'Query',
    'PaymentOwner',
    'PaymentWebhookDelivery',
    'PaymentsError',
    '__proto__',
    null,
    ['Payment'],
    undefined,
  ])('of the type %j is null with an error of its own', async (__typename) => {
    const currency = { __typename: 'PaymentCurrency', code: 'AUD' }
    const { data, errors } = await entities([{ ...FORGED, __typename }, currency])
    expect(data._entities).toMatchObject([null, currency])
    expect(errors).toMatchObject([refused(0)])
  })

  it.each(['Payment', 7, true, [], [{ __typename: 'PaymentCurrency', code: 'AUD' }], {}])(
    'that is %j is null with an error of its own',
    async (representation) => {
      const { data, errors } = await entities([representation])
      expect(data._entities).toEqual([null])
      expect(errors).toMatchObject([refused(0)])
    },
  )

  it('without its key is null with an error of its own', async () => {
    const { data, errors } = await entities(real.map(({ __typename }) => ({ __typename })))
    expect(data._entities.filter((entity) => entity !== null)).toEqual([])
    expect(errors).toMatchObject(real.map((_entity, index) => refused(index)))
  })

  it('with two keys that contradict each other is found by the id, as long as both are IDs or null', async () => {
    const agreement = real.find(({ __typename }) => __typename === 'PaymentAgreement')
    const both = await entities([{ ...agreement, clientTransactionId: 'forged' }])
    expect(both.data._entities).toMatchObject([agreement])
    const spared = await entities([
      { ...agreement, clientTransactionId: null },
      { ...agreement, clientTransactionId: 7 },
    ])
    expect(spared).toMatchObject({ data: { _entities: [agreement, agreement] }, errors: [] })
    const { data, errors } = await entities([{ ...agreement, clientTransactionId: [] }])
    expect(data._entities).toEqual([null])
    expect(errors).toMatchObject([refused(0)])
  })

  it('of a thousand with the fields of a card is answered over HTTP, and of one more is refused', async () => {
    const token = await network.token()
    const ask = (count: number) =>
      network.ask<{ _entities: unknown[] }>(CARDS, { representations: linksOf(count) }, { token, headers })
    const one = await network.ask(
      `query L($id: ID!) { paymentLink(id: $id) { ${CARD} } }`,
      { id: real[0]?.['id'] },
      { token },
    )
    const card = one.data['paymentLink']
    expect(card).toMatchObject({ payment: { status: 'RETURN_RECEIVED' } })
    const { data } = await ask(1_000)
    expect(data._entities).toEqual(Array.from({ length: 1_000 }, (_, index) => (index % 2 === 0 ? card : null)))
    const { errors } = await ask(1_001)
    expect(errors).toMatchObject([
      { extensions: { code: 'OPERATION_LIMIT_EXCEEDED', limit: 'entities', maximum: 1_000 } },
    ])
  })

  it('costs nothing of what the other fields may cost, up to a limit of its own', async () => {
    const token = await network.token()
    const representations = linksOf(1_000)
    const pages = Array.from(
      { length: 7 },
      (_, index) => `p${index}: payments(first: 100) { nodes { id card { last4 } failure { code } } }`,
    )
    const besides = (count: number) =>
      `${pages.slice(0, count).join(' ')} _entities(representations: $representations) { __typename }`
    const ask = (fields: string) =>
      network.ask(`query E($representations: [_Any!]!) { ${fields} }`, { representations }, { headers, token })
    expect((await ask(besides(6))).errors).toBeUndefined()
    expect((await ask(besides(7))).errors).toMatchObject([{ extensions: { limit: 'cost', maximum: 2_000 } }])
    const many = Array.from({ length: 10 }, (_, index) => `e${index}: _entities(representations: $representations)`)
    const askEach = (selection: string) =>
      ask(many.map((field) => `${field} { ... on PaymentLink { ${selection} } }`).join(' '))
    expect((await askEach('id payment { id }')).errors).toBeUndefined()
    expect((await askEach('id payment { id failure { code } }')).errors).toMatchObject([
      { extensions: { limit: 'cost of entities', maximum: 20_000 } },
    ])
  })

  it('may be of more bytes with the secret than without, also in a body of unknown length', async () => {
    const text = (bytesInAll: number) => JSON.stringify({ query: '{ __typename }' }).padEnd(bytesInAll, ' ')
    const post = async (body: string | ReadableStream, secret: Record<string, string>) => {
      const own = { 'content-type': 'application/json', ...secret }
      const { status } = await fetch(`${network.app.url}/graphql`, {
        method: 'POST',
        headers: own,
        body,
        duplex: 'half',
      })
      return status
    }
    const unknown = (body: string) => new Blob([body]).stream()
    for (const [bytesInAll, secret, status] of [
      [100 * 1024, {}, 200],
      [100 * 1024 + 1, {}, 413],
      [100 * 1024 + 1, { 'x-router-secret': 'secret-of-the-router-9' }, 413],
      [1024 * 1024, headers, 200],
      [1024 * 1024 + 1, headers, 413],
    ] as const) {
      expect(await post(text(bytesInAll), secret)).toBe(status)
      expect(await post(unknown(text(bytesInAll)), secret)).toBe(status)
    }
  })

  it('gives the router nothing that its caller may not read', async () => {
    const open = new Set(['PayinMethod', 'PaymentCurrency'])
    const wanted = real.map((entity) => (open.has(String(entity['__typename'])) ? entity : null))
    const asked = real.map(forgedAs)
    const plain = `query E($representations: [_Any!]!) { _entities(representations: $representations) { __typename } }`
    for (const token of [null, await network.token({ scopes: [], subject: 'stranger' })]) {
      const { data } = await network.ask(plain, { representations: asked }, { token, headers })
      expect(data).toEqual({
        _entities: wanted.map((entity) => entity && { __typename: entity['__typename'] }),
      })
    }
  })

  it('is read once, however often a router asks for it', async () => {
    const customer = real.find(({ __typename }) => __typename === 'PaymentCustomer')
    const calls = () => sent(network, 'GET', '/v2/customers/detail*')
    const before = calls()
    await network.ask(ENTITIES, { representations: [customer] }, { headers })
    const once = calls() - before
    expect(once).toBeGreaterThan(0)
    await network.ask(ENTITIES, { representations: [customer, customer, customer] }, { headers })
    expect(calls() - before).toBe(2 * once)
  })

  it('of any shape leaves no fault in the log', () => {
    expect(network.log()).not.toContain('a resolver failed')
  })
})

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pay } from '../support/checkout.ts'
import { startNetwork, type AskOptions, type Network } from '../support/network.ts'
import { createLink, LINK } from '../support/operations.ts'
import { paidStream } from '../support/streams.ts'

type Representation = { readonly __typename: string; readonly [key: string]: unknown }

let network: Network
let ids: { link: string; payment: string; event: string; created: string; statusToken: string }
beforeAll(async () => {
  network = await startNetwork()
  const { link, items, paymentId } = await paidStream(network)
  const events = await network.ask<{ paymentLink: { events: { nodes: { id: string }[] } } }>(
    'query E($id: ID!) { paymentLink(id: $id) { events(first: 1) { nodes { id } } } }',
    { id: link.id },
  )
  ids = {
    link: link.id,
    payment: paymentId,
    event: items.at(-1)?.event?.id ?? '',
    created: events.data.paymentLink.events.nodes[0]?.id ?? '',
    statusToken: link.statusToken,
  }
})
afterAll(() => network.close())

const ENTITIES = `query Entities($representations: [_Any!]!) {
  _entities(representations: $representations) {
    __typename
    ... on PaymentLink { id reference state payment { id } }
    ... on Payment { id status version amount { value currency } link { id } }
    ... on PaymentEvent { id sequence kind toStatus payment { status } link { id } }
    ... on PayinMethod { code name currency maxAmount { value } }
    ... on PaymentCurrency { currencyCode: code exponent enabled region }
  }
}`

async function entities(representations: readonly Representation[], token?: string | null) {
  const answer = await network.ask<{ _entities: unknown[] }>(
    ENTITIES,
    { representations },
    token === undefined ? {} : { token },
  )
  expect(answer.errors).toBeUndefined()
  return answer.data._entities
}

/** One representation of each type, with the expected entity. */
const known = (): [Representation, Record<string, unknown>][] => [
  [
    { __typename: 'PaymentLink', id: ids.link },
    { id: ids.link, state: 'PAID', payment: { id: ids.payment } },
  ],
  [
    { __typename: 'Payment', id: ids.payment },
    { id: ids.payment, status: 'RECEIVED', link: { id: ids.link } },
  ],
  [
    { __typename: 'PaymentEvent', id: ids.event },
    { id: ids.event, sequence: 5, toStatus: 'received' },
  ],
  [
    { __typename: 'PaymentEvent', id: ids.created },
    { id: ids.created, kind: 'LINK_CREATED', payment: null },
  ],
  [
    { __typename: 'PayinMethod', code: 'jp_card_jpy' },
    { code: 'jp_card_jpy', currency: 'JPY', maxAmount: { value: '1000000' } },
  ],
  [
    { __typename: 'PaymentCurrency', code: 'VND' },
    { currencyCode: 'VND', exponent: 0, enabled: true },
  ],
]

describe('_entities', () => {
  it('holds to the rights of the caller', async () => {
    const guarded = known()
      .map(([representation]) => representation)
      .filter(({ __typename }) => ['PaymentLink', 'Payment', 'PaymentEvent'].includes(__typename))
    const stranger = await network.token({ scopes: [], subject: 'stranger' })
    expect(await entities(guarded, stranger)).toEqual(guarded.map(() => null))
    const refused = (code: string, count: number) =>
      Array.from({ length: count }, (_, index) => ({ path: ['_entities', index], extensions: { code } }))
    const nobody = await network.ask(ENTITIES, { representations: guarded }, { token: null })
    expect(nobody).toMatchObject({
      data: { _entities: guarded.map(() => null) },
      errors: refused('UNAUTHENTICATED', guarded.length),
    })
    const unowned = ['PaymentPayout', 'GatewayPayment'].map((__typename) => ({ __typename, id: randomUUID() }))
    const scopeless = await network.ask(ENTITIES, { representations: unowned }, { token: stranger })
    expect(scopeless).toMatchObject({
      data: { _entities: [null, null] },
      errors: refused('FORBIDDEN', unowned.length),
    })
    const open = [{ __typename: 'PaymentCurrency', code: 'AUD' }]
    expect(await entities(open, null)).toMatchObject([{ currencyCode: 'AUD' }])

    const owned = await createLink(network, { ownerId: 'customer-7' })
    const owner = await network.token({ scopes: [], subject: 'customer-7' })
    expect(await entities([{ __typename: 'PaymentLink', id: owned.id }], owner)).toMatchObject([{ id: owned.id }])
    expect((await network.ask(LINK, { id: owned.id }, { token: stranger })).data['paymentLink']).toBeNull()
  })
})

describe('the owner of a link and its payment', () => {
  const QUERY = `query O($id: ID!, $statusToken: String) {
    paymentLink(id: $id, statusToken: $statusToken) { owner { id } payment { owner { id } } }
  }`

  it('is shown to whoever may read them, and to nobody else', async () => {
    const { id, statusToken, checkoutUrl } = await createLink(network, { ownerId: 'customer-9' })
    await pay(checkoutUrl)
    await network.sandbox.settle()
    await network.app.settle()
    const owner = { id: 'customer-9' }
    const shown = async (options: AskOptions, token: string | null = null) =>
      (await network.ask<{ paymentLink: unknown }>(QUERY, { id, statusToken: token }, options)).data.paymentLink
    const whole = { owner, payment: { owner } }
    expect(await shown({ token: await network.token({ scopes: ['payments:read'] }) })).toEqual(whole)
    expect(await shown({ token: await network.token({ scopes: [], subject: 'customer-9' }) })).toEqual(whole)
    expect(await shown({ token: null }, statusToken)).toEqual(whole)
    expect(await shown({ token: null })).toBeNull()
    expect(await shown({ token: await network.token({ scopes: [], subject: 'customer-8' }) })).toBeNull()
  })
})

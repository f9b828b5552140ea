import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Scope } from '../../src/access/caller.ts'
import { createAgreement } from '../support/agreements.ts'
import { pay } from '../support/checkout.ts'
import { settle } from '../support/deliveries.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink, LINK, LINK_UPDATES, type CreatedLink } from '../support/operations.ts'
import { isCaughtUp, PAYMENT_UPDATES } from '../support/streams.ts'
import { addressOf, deliver, deliveries, paymentBody } from '../support/webhooks.ts'

let network: Network
let link: CreatedLink
let other: CreatedLink
let paymentId: string
beforeAll(async () => {
  network = await startNetwork()
  link = await createLink(network, { ownerId: 'customer-7' })
  other = await createLink(network, { ownerId: 'customer-8' })
  await network.sandbox.control.setStatus(link.id, 'received')
  const answer = await network.ask<{ paymentLink: { payment: { id: string } } }>(LINK, { id: link.id })
  paymentId = answer.data.paymentLink.payment.id
})
afterAll(() => network.close())

const PAYMENT = 'query P($id: ID!, $statusToken: String) { payment(id: $id, statusToken: $statusToken) { id } }'

type Asking = { token: string | null; statusToken?: string | null }

/** Returns what a caller receives of the link and of its payment. */
async function seen({ token, statusToken = null }: Asking, ids = { link: link.id, payment: paymentId }) {
  const one = await network.ask(LINK, { id: ids.link, statusToken }, { token })
  const two = await network.ask(PAYMENT, { id: ids.payment, statusToken }, { token })
  return { link: one.data['paymentLink'], payment: two.data['payment'], errors: [one.errors, two.errors] }
}

const everything = () => ({ link: { id: link.id }, payment: { id: paymentId }, errors: [undefined, undefined] })
const nothing = { link: null, payment: null, errors: [undefined, undefined] }

describe('a link and its payment', () => {
  it.each<[string, () => Promise<Asking>]>([
    ['payments:read', async () => ({ token: await network.token({ scopes: ['payments:read'], subject: null }) })],
    ['being its owner', async () => ({ token: await network.token({ scopes: [], subject: 'customer-7' }) })],
    ['its status token', async () => ({ token: null, statusToken: link.statusToken })],
    [
      'its status token, whatever the caller is',
      async () => ({ token: await network.token({ scopes: [], subject: 'stranger' }), statusToken: link.statusToken }),
    ],
  ])('can be read with %s', async (_by, asking) => {
    expect(await seen(await asking())).toMatchObject(everything())
  })

  it.each<[string, () => Promise<Asking>]>([
    ['anonymous', async () => ({ token: null })],
    ['a stranger', async () => ({ token: await network.token({ scopes: [], subject: 'stranger' }) })],
    ['the owner of another link', async () => ({ token: await network.token({ scopes: [], subject: 'customer-8' }) })],
    ['nobody in particular', async () => ({ token: await network.token({ scopes: [], subject: null }) })],
    ['one who may only write', async () => ({ token: await network.token({ scopes: ['payments:write'] }) })],
    ['one with the token of another link', async () => ({ token: null, statusToken: other.statusToken })],
    ['one with a forged token', async () => ({ token: null, statusToken: forged(link.statusToken) })],
    ['one with an empty token', async () => ({ token: null, statusToken: '' })],
  ])('are not there for %s, as if they did not exist', async (_who, asking) => {
    const caller = await asking()
    expect(await seen(caller)).toEqual(nothing)
    expect(await seen(caller, { link: randomUUID(), payment: randomUUID() })).toEqual(nothing)
  })

  it('can be followed by anonymous with the status token, and by the owner', async () => {
    const owner = await network.token({ scopes: [], subject: 'customer-7' })
    for (const [token, statusToken] of [
      [null, link.statusToken],
      [owner, null],
    ] as const)
      for (const [query, id] of [
        [LINK_UPDATES, link.id],
        [PAYMENT_UPDATES, paymentId],
      ] as const) {
        const stream = await network.follow(query, { id, statusToken }, { token })
        expect((await stream.until(isCaughtUp)).map(({ kind }) => kind)).toEqual(['SNAPSHOT', 'CAUGHT_UP'])
        await stream.end()
      }
  })

  it('show no more on a stream than on a query', async () => {
    const query = `subscription S($id: ID!, $statusToken: String) {
      paymentLinkUpdates(id: $id, statusToken: $statusToken) { kind payment { id payer { name } } link { statusToken } }
    }`
    const stream = await network.follow(query, { id: link.id, statusToken: link.statusToken }, { token: null })
    await expect(stream.next()).rejects.toMatchObject({
      errors: [
        { extensions: { code: 'UNAUTHENTICATED' }, path: ['paymentLinkUpdates', 'payment', 'payer'] },
        { extensions: { code: 'UNAUTHENTICATED' }, path: ['paymentLinkUpdates', 'link', 'statusToken'] },
      ],
    })
    await stream.end()
  })
})

describe('a token over HTTP', () => {
  const refused = { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }], data: undefined }

  it('that has expired is answered 401', async () => {
    const token = await network.token({ ttlSeconds: -1 })
    const answer = await network.ask(LINK, { id: link.id }, { token })
    expect(answer).toMatchObject({ status: 401, errors: refused.errors })
    expect(answer.data).toBeUndefined()
  })

  it.each([
    ['that does not hold', 'Bearer nonsense', 'Bearer error="invalid_token"'],
    ['of a scheme in lower case', 'bearer a.b.c', 'Bearer error="invalid_token"'],
    ['of another scheme', 'Basic dXNlcjpwYXNzd29yZA==', 'Bearer'],
  ])('%s is answered with what to show instead', async (_what, authorization, challenge) => {
    for (const [path, accept] of [
      ['/graphql', 'application/json'],
      ['/graphql/stream', 'text/event-stream'],
    ] as const) {
      const response = await fetch(network.app.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept, authorization },
        body: JSON.stringify({ query: '{ paymentCurrencies { code } }' }),
      })
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, challenge])
    }
  })

  it('that is missing is no reason to ask for one', async () => {
    const response = await fetch(`${network.app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: LINK, variables: { id: link.id } }),
    })
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([200, null])
  })
})

describe('what is masked', () => {
  const FAILURE = `query F($id: ID!) {
    paymentLink(id: $id) { payment { status failure { code category retry customerMessage } nextAction { kind } } }
  }`

  const failureOf = async (id: string, scopes: Parameters<Network['token']>[0]) => {
    const answer = await network.ask<{ paymentLink: { payment: Record<string, unknown> } }>(
      FAILURE,
      { id },
      { token: await network.token(scopes) },
    )
    expect(answer.errors).toBeUndefined()
    return answer.data.paymentLink.payment
  }

  it.each(['card_stolen', 'card_lost', 'fraudulent'])(
    '%s reads as a generic decline in every respect without payments:risk',
    async (lastName) => {
      const declined = async (name: string) => {
        const made = await createLink(network, { customer: { email: 'a@b.test', firstName: 'A', lastName: name } })
        await pay(made.checkoutUrl)
        await network.sandbox.settle()
        return made.id
      }
      const [risky, generic] = [await declined(lastName), await declined('generic_declined')]
      const without = { scopes: ['payments:read', 'payments:pii'] as const }
      const masked = await failureOf(risky, without)
      expect(masked).toEqual(await failureOf(generic, without))
      expect(masked).toMatchObject({ status: 'FAILED', failure: { code: 'GENERIC_DECLINED' } })
      const plain = await failureOf(risky, { scopes: ['payments:read', 'payments:risk'] })
      expect(plain).toMatchObject({ failure: { code: lastName.toUpperCase(), category: 'RISK' } })
    },
  )
})

describe('what came with a webhook', () => {
  it('to the address of an agreement is shown to those alone who may read agreements', async () => {
    const agreement = await createAgreement(network)
    await network.sandbox.control.setAgreementStatus(agreement.serviceId, 'active')
    await settle(network)
    const id = (await deliveries(network, [agreement.id])).at(0)?.id ?? ''
    const bodyFor = async (...scopes: Scope[]) => {
      const query = 'query D($id: ID!) { webhookDelivery(id: $id) { body agreement { id } } }'
      const answer = await network.ask(query, { id }, { token: await network.token({ scopes }) })
      expect(answer.errors).toBeUndefined()
      return answer.data['webhookDelivery']
    }
    expect(await bodyFor('payments:read', 'payments:risk')).toEqual({ body: null, agreement: null })
    expect(await bodyFor('payments:read', 'payments:risk', 'agreements:read')).toEqual({
      body: expect.stringContaining(agreement.clientTransactionId),
      agreement: { id: agreement.id },
    })
  })

  it('about a failure is no instruction to pay', async () => {
    const made = await createLink(network, { ownerId: 'customer-7' })
    const uuid = randomUUID()
    const failed = { uuid, status: 'failed', pay_code: { error_code: 'card_stolen', decline_text: 'Reported stolen.' } }
    expect(await deliver(await addressOf(network, made), paymentBody(failed))).toMatchObject({ status: 200 })
    const owner = await network.token({ scopes: [], subject: 'customer-7' })
    const query = `query P($id: ID!) {
      payment(id: $id) { instructions { raw } events { nodes { toStatus payment { instructions { raw } } after { failure { code } } } } }
    }`
    const { data } = await network.ask(query, { id: uuid }, { token: owner })
    expect(data['payment']).toMatchObject({ instructions: null })
    expect(data['payment']).toHaveProperty('events.nodes[1]', {
      toStatus: 'failed',
      payment: { instructions: null },
      after: { failure: { code: 'GENERIC_DECLINED' } },
    })
  })
})

/** Returns the token with another last character of its payload. */
function forged(token: string): string {
  const [version, key, body, mac] = token.split('.')
  const digit = body?.endsWith('A') === true ? 'B' : 'A'
  return [version, key, `${body?.slice(0, -1)}${digit}`, mac].join('.')
}

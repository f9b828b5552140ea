import { randomUUID } from 'node:crypto'
import type { OutgoingHttpHeaders } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callbackAuthorization, type CallbackKind } from '../../src/keys/derived-secrets.ts'
import { createKeyRing, Secret } from '../../src/keys/key-ring.ts'
import { callbackAddressOf, createAgreement, NO_ANSWER } from '../support/agreements.ts'
import { payoutInput } from '../support/inputs.ts'
import { made, mutate } from '../support/mutations.ts'
import { SECRETS, startNetwork, type Network } from '../support/network.ts'
import { createLink, LINK_UPDATES, type CreatedLink } from '../support/operations.ts'
import { historyOf, type LinkHistory } from '../support/payments.ts'
import { EVENT_STREAM, isCaughtUp } from '../support/streams.ts'
import {
  addressFor,
  addressOf,
  defaultAddress,
  deliver,
  deliveries,
  honestHeaders,
  paymentBody,
  send,
  type WebhookAddress,
} from '../support/webhooks.ts'

const MINUTE_MS = 60_000
const YEAR_MS = 365 * 24 * 60 * MINUTE_MS

let network: Network
let ahead = 0
beforeAll(async () => {
  network = await startNetwork({
    clock: () => new Date(Date.now() + ahead),
    sandbox: { ...NO_ANSWER, paceMs: MINUTE_MS },
  })
})
afterAll(() => network.close())

type Captured = { link: CreatedLink; address: WebhookAddress; body: string; paymentId: string; history: LinkHistory }

/** Creates a link and sets its payment's status. Returns it with the last webhook about it, as an attacker could have captured it. */
async function captured(status: 'received' | 'pending' = 'received'): Promise<Captured> {
  const link = await createLink(network)
  await network.sandbox.control.setStatus(link.id, status)
  await network.app.settle()
  const history = await historyOf(network, link.id)
  const paymentId = history.payment?.id ?? ''
  const sent = network.sandbox.control.webhooks().findLast(({ body }) => body.includes(paymentId))
  return { link, address: await addressOf(network, link), body: sent?.body ?? '', paymentId, history }
}

const calls = () => network.sandbox.control.calls().length

/** Acts at a later time of the app's clock, and waits until the app has processed that; the clock is then reset. */
async function later(milliseconds: number, act: () => Promise<unknown>): Promise<void> {
  ahead = milliseconds
  try {
    await act()
    await network.app.settle()
  } finally {
    ahead = 0
  }
}

/** Returns the webhook URLs of an agreement and of a payout of this network. */
async function addressesOfOtherThings(): Promise<WebhookAddress[]> {
  const agreement = await callbackAddressOf(network, (await createAgreement(network)).id)
  const { id } = await made(mutate(network, 'createPayout', payoutInput()), 'payout')
  await network.sandbox.control.setPayoutStatus(id, 'processing')
  const told = network.sandbox.control.webhooks().findLast(({ url }) => url.includes('/webhooks/payouts/'))
  return [agreement, addressFor(told?.url ?? '', 'payout')]
}

// promise(facts): Fifty concurrent copies of a webhook are one delivery, fifty responses of 200, and one item for each
// subscriber.
describe('a copy of a webhook that comes again', () => {
  it.each([
    ['at once', 0],
    ['in an hour', 60 * MINUTE_MS],
    ['in a year', YEAR_MS],
  ])('%s, is counted and does nothing', async (_when, span) => {
    const { link, address, body, paymentId, history } = await captured()
    await later(span, async () => {
      for (let copy = 0; copy < 3; copy++) expect((await deliver(address, body)).status).toBe(200)
    })
    expect(await historyOf(network, link.id)).toEqual(history)
    expect((await deliveries(network, [paymentId]))[0]).toMatchObject({ disposition: 'APPLIED', attempts: 4 })
  })

  it.each([
    ['at once', 0],
    ['in a year', YEAR_MS],
  ])('%s, at the address of another link, is set aside', async (_when, span) => {
    const { link, body, paymentId, history } = await captured()
    const other = await createLink(network)
    const address = await addressOf(network, other)
    await later(span, async () => expect((await deliver(address, body)).status).toBe(200))
    expect((await deliveries(network, [paymentId]))[0]).toMatchObject({ disposition: 'QUARANTINED', event: null })
    expect(await historyOf(network, link.id)).toEqual(history)
    expect(await historyOf(network, other.id)).toMatchObject({ state: 'OPEN', payment: null, events: [] })
  })

  it('at the address of another link, before it comes to its own, does not make the original a repeat', async () => {
    const { link, address, body, paymentId } = await captured('pending')
    const original = body.replace('"status":"pending"', '"status":"received"')
    expect(original).not.toBe(body)
    await network.sandbox.control.setStatus(link.id, 'received', { silent: true })
    expect((await deliver(await addressOf(network, await createLink(network)), original)).status).toBe(200)
    expect((await deliveries(network, [paymentId]))[0]).toMatchObject({ disposition: 'QUARANTINED' })
    expect((await deliver(address, original)).status).toBe(200)
    expect((await deliveries(network, [paymentId]))[0]).toMatchObject({ disposition: 'APPLIED', attempts: 1 })
    expect((await historyOf(network, link.id)).state).toBe('PAID')
  })

  it('at the default address says nothing new', async () => {
    const { link, body, paymentId, history } = await captured()
    expect((await deliver(defaultAddress(network), body)).status).toBe(200)
    await network.app.settle()
    expect((await deliveries(network, [paymentId]))[0]).toMatchObject({ disposition: 'NO_CHANGE', event: null })
    expect(await historyOf(network, link.id)).toEqual(history)
  })

  it('at the address of an agreement or of a payout changes neither the payment nor them', async () => {
    const { link, body, history } = await captured()
    const [agreement, payout] = await addressesOfOtherThings()
    if (agreement === undefined || payout === undefined) throw new Error('There is no address.')
    const before = calls()
    expect(await deliver(agreement, body)).toMatchObject({ status: 400, body: 'refused' })
    expect((await deliveries(network))[0]).toMatchObject({ disposition: 'QUARANTINED', subjectId: null })
    expect((await deliver(payout, body)).status).toBe(200)
    expect((await deliveries(network))[0]).toMatchObject({ disposition: 'QUARANTINED', event: null })
    await network.app.settle()
    // The agreement, whose callback could not be read.
    expect(calls()).toBe(before + 1)
    expect(await historyOf(network, link.id)).toEqual(history)
  })

  it('with the Authorization of its own address is no use at any other', async () => {
    const { address, body } = await captured()
    const others = [await addressOf(network, await createLink(network)), ...(await addressesOfOtherThings())]
    const kept = (await deliveries(network)).length
    expect(kept).toBeLessThan(100)
    for (const { url } of others) {
      expect(await deliver({ ...address, url }, body)).toMatchObject({ status: 401, body: 'refused' })
      expect(await deliver(url, body)).toMatchObject({ status: 401, body: 'refused' })
    }
    expect(await deliveries(network)).toHaveLength(kept)
  })
})

describe('the Authorization of an address', () => {
  const KEYS = createKeyRing([new Secret(SECRETS.signing)])
  const KINDS: readonly CallbackKind[] = ['payment', 'agreement', 'payout', 'gateway-payment']

  /** Returns wrong values of the header, as an attacker who knows the format would send them. */
  async function wrongOnes({ ref, authorization }: WebhookAddress, kind: CallbackKind): Promise<(string | string[])[]> {
    const [, id = '', mac = ''] = authorization.replace('Bearer ', '').split('.')
    const sibling = await callbackAddressOf(network, (await createAgreement(network)).id)
    return [
      '',
      'Bearer',
      authorization.slice(0, -1),
      `${authorization}A`,
      authorization.toLowerCase(),
      authorization.replace('Bearer', 'bearer'),
      authorization.replace('Bearer', 'Basic'),
      authorization.replace('v1', 'v2'),
      `Bearer v1.00000000.${mac}`,
      `Bearer v1.${id}.${'A'.repeat(mac.length)}`,
      `Bearer v1.${id}.`,
      `${authorization}, ${authorization}`,
      [authorization, authorization],
      [authorization, 'Bearer wrong'],
      ['Bearer wrong', authorization],
      ...KINDS.filter((other) => other !== kind).map((other) => callbackAuthorization(KEYS, other, ref)),
      callbackAuthorization(KEYS, kind, `${ref}x`),
      callbackAuthorization(KEYS, kind, sibling.ref),
      callbackAuthorization(createKeyRing([new Secret('x'.repeat(40))]), kind, ref),
      `Bearer ${SECRETS.webhook}`,
      `Bearer ${SECRETS.signing}`,
      `Bearer ${await network.token()}`,
    ]
  }

  it('is the whole of it, once, or nothing is applied: for links, agreements and payouts', async () => {
    const link = await addressOf(network, await createLink(network))
    const [agreement, payout] = await addressesOfOtherThings()
    if (agreement === undefined || payout === undefined) throw new Error('There is no address.')
    const all = [
      ['payment', link],
      ['agreement', agreement],
      ['payout', payout],
    ] as const
    const kept = (await deliveries(network)).length
    expect(kept).toBeLessThan(100)
    for (const [kind, address] of all) {
      const body = paymentBody()
      for (const authorization of await wrongOnes(address, kind)) {
        // The type allows one value; several are sent as they are.
        const headers = { ...honestHeaders(body), authorization } as OutgoingHttpHeaders
        const { status, body: text } = await send(address.url, { headers, body })
        expect({ authorization, status, text }).toEqual({ authorization, status: 401, text: 'refused' })
      }
    }
    expect(await deliveries(network)).toHaveLength(kept)
  })

  it('does not stand in for the signature of a payment', async () => {
    const { url, authorization } = await addressOf(network, await createLink(network))
    const body = paymentBody({ status: 'received' })
    const { 'http-webhook-signature': _signature, ...stripped } = honestHeaders(body, authorization)
    expect(await send(url, { headers: stripped, body })).toMatchObject({ status: 401, body: 'refused' })
  })
})

describe('fifty copies at once', () => {
  it('are one delivery, and one item for each subscriber', async () => {
    const link = await createLink(network)
    const address = await addressOf(network, link)
    const streams = [
      await network.follow(LINK_UPDATES, { id: link.id }),
      await network.follow(LINK_UPDATES, { id: link.id }),
      await network.follow(EVENT_STREAM, {}),
    ]
    await Promise.all(streams.map((stream) => stream.until(isCaughtUp)))
    const uuid = randomUUID()
    const first = paymentBody({ uuid, status: 'received' })
    const replies = await Promise.all(Array.from({ length: 50 }, () => deliver(address, first)))
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200))
    expect(await deliveries(network, [uuid])).toMatchObject([{ disposition: 'APPLIED', attempts: 50 }])
    // The next event on every stream shows that there was no other between.
    expect((await deliver(address, paymentBody({ uuid, status: 'dispute_lost' }))).status).toBe(200)
    for (const stream of streams) {
      const items = await stream.until(({ event }) => event?.toStatus === 'dispute_lost')
      expect(items.map(({ event }) => event?.toStatus)).toEqual(['received', 'dispute_lost'])
      await stream.end()
    }
  })
})

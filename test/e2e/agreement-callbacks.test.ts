import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Scope } from '../../src/access/caller.ts'
import {
  AGREEMENT_UPDATES,
  callbackAddressOf,
  createAgreement,
  NO_ANSWER,
  readAgreement,
} from '../support/agreements.ts'
import { amendmentInput, newKey } from '../support/inputs.ts'
import { asked, mutate } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { brokenLinks, EVENT_STREAM, isCaughtUp, sequences } from '../support/streams.ts'
import { deliveries, send } from '../support/webhooks.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork({ sandbox: NO_ANSWER })))
afterEach(() => network.sandbox.control.clearFaults())
afterAll(() => network.close())

const PATH = '/v1/pay_to/payment_agreement'
const change = (id: string, status: string) =>
  mutate(network, 'changePaymentAgreementStatus', { idempotencyKey: newKey(), id, status })

/** Creates an agreement that the payer has accepted; `body` is that of the callback which reported it. */
async function activeAgreement() {
  const agreement = await createAgreement(network)
  await network.sandbox.control.setAgreementStatus(agreement.serviceId, 'active')
  const body = network.sandbox.control.webhooks().findLast(({ subject }) => subject === agreement.id)?.body ?? ''
  return { ...agreement, body }
}

describe('a callback', () => {
  it('without a signature is taken with the secret of its address, and again as often as it comes', async () => {
    const { id, serviceId } = await activeAgreement()
    expect(await readAgreement(network, id)).toMatchObject({ status: 'ACTIVE' })
    const { deliveries: sent } = await network.sandbox.control.deliverAgreement(serviceId, {
      kind: 'duplicate',
      count: 2,
    })
    expect(sent.map(({ status }) => status)).toEqual([200, 200])
    expect(await deliveries(network, [id])).toMatchObject([{ disposition: 'APPLIED', attempts: 3 }])
  })

  it('with a wrong secret or a wrong signature is refused, and leaves no trace', async () => {
    const { id, body } = await activeAgreement()
    const { url, authorization } = await callbackAddressOf(network, id)
    const forged = body.replace('"active"', '"cancelled"')
    const headers = { 'content-type': 'application/json' }
    const wrong: Record<string, string>[] = [
      {},
      { authorization: `${authorization}x` },
      { authorization, 'http-webhook-signature': '0'.repeat(64) },
    ]
    for (const more of wrong)
      expect((await send(url, { headers: { ...headers, ...more }, body: forged })).status).toBe(401)
    expect(await deliveries(network, [id])).toHaveLength(1)
    expect(await readAgreement(network, id)).toMatchObject({ status: 'ACTIVE' })
    expect((await send(url, { headers: { ...headers, authorization }, body: forged })).status).toBe(200)
    expect(await readAgreement(network, id)).toMatchObject({ status: 'CANCELLED' })
  })

  it('that tells of the creation comes too late after another, and nothing leads out of cancelled', async () => {
    const { id, serviceId } = await activeAgreement()
    const { control } = network.sandbox
    await control.deliverAgreement(serviceId, { kind: 'late', status: 'created' })
    expect((await deliveries(network, [id]))[0]).toMatchObject({ disposition: 'STALE', statusRaw: 'created' })
    expect(await readAgreement(network, id)).toMatchObject({ status: 'ACTIVE' })
    await control.setAgreementStatus(serviceId, 'cancelled')
    await control.deliverAgreement(serviceId, { kind: 'late', status: 'suspended' })
    expect((await deliveries(network, [id]))[0]).toMatchObject({ disposition: 'STALE', statusRaw: 'suspended' })
    expect(await readAgreement(network, id)).toMatchObject({ status: 'CANCELLED' })
  })

  it('signed by a service that signs them is taken as well', async () => {
    const own = await startNetwork({ sandbox: { ...NO_ANSWER, signAgreementCallbacks: true } })
    try {
      const { id, serviceId } = await createAgreement(own)
      await own.sandbox.control.setAgreementStatus(serviceId, 'active')
      expect(await readAgreement(own, id)).toMatchObject({ status: 'ACTIVE' })
      const { deliveries: sent } = await own.sandbox.control.deliverAgreement(serviceId, { kind: 'forged' })
      expect(sent.map(({ status }) => status)).toEqual([401])
    } finally {
      await own.close()
    }
  })
})

describe('paymentAgreementUpdates', () => {
  it('tells the state, then what happens, and replays it from any cursor', async () => {
    const { id, serviceId } = await createAgreement(network)
    const stream = await network.follow(AGREEMENT_UPDATES, { id })
    expect(await stream.next()).toMatchObject({ kind: 'SNAPSHOT', agreement: { id, status: 'CREATED', version: 1 } })
    expect(await stream.next()).toMatchObject({ kind: 'CAUGHT_UP' })
    await network.sandbox.control.setAgreementStatus(serviceId, 'active')
    await network.sandbox.control.setAgreementStatus(serviceId, 'suspended')
    const live = await stream.until(({ event }) => event?.toStatus === 'suspended')
    await stream.end()
    expect(live).toMatchObject([
      { event: { fromStatus: 'created', toStatus: 'active', source: 'WEBHOOK' }, agreement: { status: 'ACTIVE' } },
      { event: { fromStatus: 'active', toStatus: 'suspended' }, agreement: { status: 'SUSPENDED', version: 3 } },
    ])
    expect(brokenLinks(stream.items)).toEqual([])

    const after = stream.items[0]?.cursor ?? ''
    const again = await network.follow(AGREEMENT_UPDATES, { id, after })
    const replayed = await again.until(isCaughtUp)
    await again.end()
    expect(sequences(replayed)).toEqual([2, 3])
    expect(brokenLinks(replayed, after)).toEqual([])
  })
})

describe('the log of payments', () => {
  const LOG =
    'query L($ids: [ID!]) { paymentEvents(filter: { agreementIds: $ids }) { nodes { kind agreement { id } } } }'
  const firstItem = async (scopes: readonly Scope[], after: string) => {
    const stream = await network.follow(
      'subscription S($after: String) { paymentEventStream(after: $after) { kind cursor agreement { id } event { id } } }',
      { after },
      { token: await network.token({ scopes }) },
    )
    const item = await stream.next()
    await stream.end()
    return item
  }

  it.each<[readonly Scope[], boolean]>([
    [['payments:read'], false],
    [['payments:read', 'agreements:read'], true],
  ])('shows an agreement to a caller with %j: %s', async (scopes, shown) => {
    const before = await network.follow(EVENT_STREAM)
    const [caughtUp] = await before.until(isCaughtUp)
    await before.end()
    const { id } = await createAgreement(network)
    const { data } = await network.ask(LOG, { ids: [id] }, { token: await network.token({ scopes }) })
    const agreement = shown ? { id } : null
    expect(data['paymentEvents']).toEqual({ nodes: [{ kind: 'AGREEMENT_CREATED', agreement }] })
    expect(await firstItem(scopes, caughtUp?.cursor ?? '')).toMatchObject({ kind: 'EVENT', agreement })
  })
})

describe('changePaymentAgreementStatus', () => {
  it('suspends, resumes and cancels, each with one call', async () => {
    const { id, serviceId } = await activeAgreement()
    const before = asked(network, 'POST', `${PATH}/change_status`)
    for (const status of ['SUSPENDED', 'ACTIVE', 'CANCELLED']) {
      expect(await change(id, status)).toMatchObject({ replayed: false, agreement: { id, status } })
      await network.sandbox.settle()
    }
    expect(asked(network, 'POST', `${PATH}/change_status`) - before).toBe(3)
    const agreement = network.sandbox.control.state().agreements.find((one) => String(one.id) === serviceId)
    expect(agreement?.history.map(({ status }) => status)).toEqual([
      'created',
      'active',
      'suspended',
      'active',
      'cancelled',
    ])
  })

  it.each([
    ['created', 'ACTIVE'],
    ['created', 'SUSPENDED'],
    ['active', 'ACTIVE'],
    ['suspended', 'SUSPENDED'],
    ['cancelled', 'ACTIVE'],
    ['failed', 'CANCELLED'],
  ] as const)('of an agreement that is %s to %s is refused without a call', async (from, to) => {
    const { id, serviceId } = await createAgreement(network)
    if (from !== 'created') await network.sandbox.control.setAgreementStatus(serviceId, from)
    const before = asked(network, 'POST', `${PATH}/change_status`)
    expect(await change(id, to)).toMatchObject({ __typename: 'PaymentsStateConflictError', statusRaw: from })
    expect(asked(network, 'POST', `${PATH}/change_status`)).toBe(before)
  })

  it('that was not answered is settled by a read, and not sent again', async () => {
    const { id } = await activeAgreement()
    const input = { idempotencyKey: newKey(), id, status: 'SUSPENDED' }
    const before = asked(network, 'POST', `${PATH}/change_status`)
    network.sandbox.control.addFault({ method: 'POST', path: `${PATH}/change_status`, answer: 'drop-after' })
    expect(await mutate(network, 'changePaymentAgreementStatus', input)).toMatchObject({
      __typename: 'PaymentsOutcomeUnknownError',
    })
    expect(await mutate(network, 'changePaymentAgreementStatus', input)).toMatchObject({
      replayed: true,
      agreement: { id, status: 'SUSPENDED' },
    })
    expect(asked(network, 'POST', `${PATH}/change_status`) - before).toBe(1)
  })
})

describe('a change of status that was not answered', () => {
  const lose = async () => {
    const { id } = await activeAgreement()
    const input = { idempotencyKey: newKey(), id, status: 'SUSPENDED' }
    network.sandbox.control.addFault({ method: 'GET', path: `${PATH}/search`, answer: { status: 503 }, times: 50 })
    return { id, input, before: asked(network, 'POST', `${PATH}/change_status`) }
  }
  const again = (input: Record<string, unknown>) => mutate(network, 'changePaymentAgreementStatus', input)

  it('is settled by its callback while the search does not answer', async () => {
    const { id, input, before } = await lose()
    network.sandbox.control.addFault({ method: 'POST', path: `${PATH}/change_status`, answer: 'drop-after' })
    expect(await again(input)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
    await network.sandbox.settle()
    expect(await again(input)).toMatchObject({ replayed: true, agreement: { id, status: 'SUSPENDED' } })
    expect(asked(network, 'POST', `${PATH}/change_status`) - before).toBe(1)
  })

  it('is not taken for done by what was told before it, nor sent again', async () => {
    const { id, input, before } = await lose()
    network.sandbox.control.addFault({ method: 'POST', path: `${PATH}/change_status`, answer: 'reset' })
    for (let attempt = 0; attempt < 3; attempt++)
      expect(await again(input)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
    network.sandbox.control.clearFaults()
    expect(await again(input)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
    expect(await readAgreement(network, id)).toMatchObject({ status: 'ACTIVE' })
    expect(asked(network, 'POST', `${PATH}/change_status`) - before).toBe(1)
  })
})

describe('amendPaymentAgreement', () => {
  const amend = (input: Record<string, unknown>) => mutate(network, 'amendPaymentAgreement', input)
  const TERMS = { limit: { value: '300.00' }, amountRule: 'FIXED', frequency: 'WEEKLY', startDate: '2030-02-28' }

  it('replaces the terms, in an event of its own', async () => {
    const { id } = await activeAgreement()
    const input = amendmentInput(id)
    const first = await amend(input)
    expect(first).toMatchObject({ replayed: false, agreement: { ...TERMS, status: 'ACTIVE', version: 3 } })
    expect(await amend(input)).toEqual({ ...first, replayed: true })
    const { data } = await network.ask<{ paymentAgreement: { events: { nodes: { kind: string }[] } } }>(
      'query Events($id: ID!) { paymentAgreement(id: $id) { events { nodes { kind source } } } }',
      { id },
    )
    expect(data.paymentAgreement.events.nodes.at(-1)).toEqual({ kind: 'AGREEMENT_AMENDED', source: 'COMMAND' })
  })

  it('tells what the payments API answered, which later callbacks leave', async () => {
    const { id, serviceId } = await activeAgreement()
    const told = async () => {
      const query = 'query A($id: ID!) { paymentAgreement(id: $id) { status amendmentStatusRaw } }'
      return (await network.ask(query, { id })).data['paymentAgreement']
    }
    expect(await told()).toEqual({ status: 'ACTIVE', amendmentStatusRaw: null })
    await amend(amendmentInput(id))
    expect(await told()).toEqual({ status: 'ACTIVE', amendmentStatusRaw: 'accepted' })
    await network.sandbox.control.setAgreementStatus(serviceId, 'suspended')
    await expect.poll(told).toEqual({ status: 'SUSPENDED', amendmentStatusRaw: 'accepted' })
  })

  it('of an agreement that is over is refused without a call', async () => {
    const { id, serviceId } = await createAgreement(network)
    await network.sandbox.control.setAgreementStatus(serviceId, 'cancelled')
    const before = asked(network, 'POST', `${PATH}/amendment`)
    expect(await amend(amendmentInput(id))).toMatchObject({
      __typename: 'PaymentsStateConflictError',
      statusRaw: 'cancelled',
    })
    expect(await amend(amendmentInput('agreement-999999'))).toMatchObject({ __typename: 'PaymentsNotFoundError' })
    expect(asked(network, 'POST', `${PATH}/amendment`)).toBe(before)
  })

  it('that was not answered is settled by a read, and not sent again', async () => {
    const { id } = await activeAgreement()
    const input = amendmentInput(id)
    const before = asked(network, 'POST', `${PATH}/amendment`)
    network.sandbox.control.addFault({ method: 'POST', path: `${PATH}/amendment`, answer: 'drop-after' })
    expect(await amend(input)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
    expect(await amend(input)).toMatchObject({ replayed: true, agreement: { id, ...TERMS } })
    expect(asked(network, 'POST', `${PATH}/amendment`) - before).toBe(1)
  })

  it('that changes the rhythm alone and never arrived is not taken for done', async () => {
    const { id } = await activeAgreement()
    const same = { limit: { value: '250.50', currency: 'AUD' }, startDate: '2030-01-31' }
    const input = amendmentInput(id, same)
    network.sandbox.control.addFault({ method: 'POST', path: `${PATH}/amendment`, answer: 'reset' })
    expect(await amend(input)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
    expect(await amend(input)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
    expect(await readAgreement(network, id)).toMatchObject({ amountRule: 'VARIABLE', frequency: 'MONTHLY' })
  })
})

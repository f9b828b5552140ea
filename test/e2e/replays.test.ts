import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callbackAddressOf, createAgreement, NO_ANSWER, readAgreement } from '../support/agreements.ts'
import {
  doubtfulDelivery,
  everything,
  misaddressedDelivery,
  replay,
  settle,
  unreadDelivery,
} from '../support/deliveries.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink, LINK_UPDATES } from '../support/operations.ts'
import { historyOf, told } from '../support/payments.ts'
import { addressOf, defaultAddress, deliver, deliveries, paymentBody } from '../support/webhooks.ts'

let network: Network
let doubtful: Awaited<ReturnType<typeof doubtfulDelivery>>
beforeAll(async () => {
  network = await startNetwork({ sandbox: NO_ANSWER })
  doubtful = await doubtfulDelivery(network)
})
afterAll(() => network.close())

const DELIVERY = `query Delivery($id: ID!) {
  webhookDelivery(id: $id) {
    disposition quarantineReason ref subjectId statusRaw body attempts
    link { id } payment { id statusRaw provisional } agreement { id status } event { id }
  }
}`

async function deliveryOf(id: string) {
  const { data, errors } = await network.ask<{ webhookDelivery: Record<string, unknown> | null }>(DELIVERY, { id })
  expect(errors).toBeUndefined()
  return data.webhookDelivery
}

describe('a delivery', () => {
  it('that was in doubt is shown with its link, its payment and its body without the payer', async () => {
    const { link, paymentId, deliveryId } = doubtful
    const { ref } = await addressOf(network, link)
    const delivery = await deliveryOf(deliveryId)
    expect(delivery).toMatchObject({
      disposition: 'DOUBTFUL',
      quarantineReason: null,
      ref,
      statusRaw: 'authorised',
      link: { id: link.id },
      payment: { id: paymentId, statusRaw: 'failed', provisional: false },
      agreement: null,
      event: null,
    })
    expect(JSON.parse(String(delivery?.['body']))).toMatchObject({ status: 'authorised', currency: 'AUD' })
    expect(delivery?.['body']).not.toMatch(/Ada|ada@|token|authorization|checkout/)
  })

  it('that was quarantined tells why', async () => {
    const { paymentId } = doubtful
    expect(await deliveryOf(await misaddressedDelivery(network, paymentId))).toMatchObject({
      quarantineReason: 'MISADDRESSED',
      subjectId: paymentId,
      payment: { id: paymentId },
    })
    for (const [body, reason, kept] of [
      ['no JSON', 'NO_JSON_OBJECT', null],
      [paymentBody({ uuid: undefined }), 'UNREADABLE', expect.stringContaining('"status":"pending"')],
    ] as const) {
      await deliver(defaultAddress(network), body)
      const [latest] = await deliveries(network)
      expect(await deliveryOf(latest?.id ?? '')).toMatchObject({
        quarantineReason: reason,
        body: kept,
        ref: null,
        link: null,
        payment: null,
      })
    }
  })

  it('that is not there is null', async () => {
    expect(await deliveryOf('nobody')).toBeNull()
  })
})

describe('a replay', () => {
  it('is dry unless told otherwise, and then tells its streams; a read has the last word', async () => {
    const { link, deliveryId } = await doubtfulDelivery(network)
    await network.sandbox.control.setStatus(link.id, 'pending')
    await settle(network)
    const before = await everything(network)
    const tells = {
      __typename: 'ReplayWebhookDeliverySuccess',
      dispositionBefore: 'DOUBTFUL',
      dispositionAfter: 'APPLIED',
      readRequested: true,
      statusBefore: 'pending',
      statusAfter: 'authorised',
    }
    expect(await replay(network, deliveryId)).toMatchObject({
      ...tells,
      applied: false,
      delivery: { disposition: 'DOUBTFUL', event: null },
    })
    await settle(network)
    expect(await everything(network)).toEqual(before)

    const stream = await network.follow(LINK_UPDATES, { id: link.id })
    await stream.until(({ kind }) => kind === 'CAUGHT_UP')
    expect(await replay(network, deliveryId, true)).toMatchObject({
      ...tells,
      applied: true,
      delivery: { disposition: 'APPLIED', attempts: 1, event: { toStatus: 'authorised', source: 'WEBHOOK' } },
    })
    const streamed = await stream.until(({ event }) => event?.source === 'READ')
    expect(streamed.map(({ event }) => event?.toStatus)).toEqual(['authorised', 'pending'])
    await stream.end()
    const { events } = await historyOf(network, link.id)
    expect(events.slice(-2).map(told)).toEqual(['authorised by WEBHOOK', 'pending by READ'])
    expect(await replay(network, deliveryId, true)).toEqual({
      __typename: 'PaymentsNotReplayableError',
      reason: 'ALREADY_APPLIED',
      code: 'NOT_REPLAYABLE',
      retryable: false,
    })
  })

  it('applies what an earlier version could not read', async () => {
    const link = await createLink(network)
    await network.sandbox.control.setStatus(link.id, 'pending')
    await settle(network)
    const { payment } = await historyOf(network, link.id)
    const { ref } = await addressOf(network, link)
    const body = paymentBody({ uuid: payment?.id, status: 'received', paid_amount: '125.5' })
    const deliveryId = await unreadDelivery(network, ref, body)
    await network.sandbox.control.setStatus(link.id, 'received', { silent: true })
    expect(await deliveryOf(deliveryId)).toMatchObject({ quarantineReason: 'UNREADABLE', payment: null })

    expect(await replay(network, deliveryId, true)).toMatchObject({
      dispositionBefore: 'QUARANTINED',
      dispositionAfter: 'APPLIED',
      readRequested: true,
    })
    expect(await historyOf(network, link.id)).toMatchObject({ state: 'PAID', payment: { status: 'RECEIVED' } })
    await settle(network)
    expect(await historyOf(network, link.id)).toMatchObject({ payment: { status: 'RECEIVED', provisional: false } })
    expect(await deliveryOf(deliveryId)).toMatchObject({
      disposition: 'APPLIED',
      quarantineReason: null,
      subjectId: payment?.id,
      attempts: 1,
    })
  })

  it('of an agreement has the agreement read', async () => {
    const { id, serviceId } = await createAgreement(network)
    const { ref } = await callbackAddressOf(network, id)
    const body = JSON.stringify({ payment_agreement_id: id, status: 'suspended' })
    const deliveryId = await unreadDelivery(network, ref, body)
    await network.sandbox.control.setAgreementStatus(serviceId, 'active', { silent: true })
    expect(await replay(network, deliveryId, true)).toMatchObject({ statusBefore: 'created', statusAfter: 'suspended' })
    await settle(network)
    expect(await readAgreement(network, id)).toMatchObject({ status: 'ACTIVE' })
    expect(await deliveryOf(deliveryId)).toMatchObject({ agreement: { id, status: 'ACTIVE' }, payment: null })
  })

  it('never forces what came to the address of something else, whatever the caller may', async () => {
    const deliveryId = await misaddressedDelivery(network, doubtful.paymentId)
    const before = await everything(network)
    expect(await replay(network, deliveryId, true)).toMatchObject({
      __typename: 'PaymentsNotReplayableError',
      reason: 'MISADDRESSED',
    })
    expect(await replay(network, 'nobody', true)).toEqual({
      __typename: 'PaymentsNotFoundError',
      code: 'NOT_FOUND',
      retryable: false,
    })
    expect(await everything(network)).toEqual(before)
  })
})

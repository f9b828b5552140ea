import { newKey } from './inputs.ts'
import { mutate, type PaymentNode } from './mutations.ts'
import type { Network } from './network.ts'
import { createLink } from './operations.ts'
import { BY_HAND, createPayin, readPayment } from './payins.ts'
import { historyOf } from './payments.ts'
import { isCaughtUp, PAYMENT_UPDATES } from './streams.ts'

const OF_LINK = '/v3/payin_links/refund'
/** Path of the payments API. */
export const OF_PAYIN = '/v2/payins/refund'

/** A paid payment. `whole` is its amount, `part` is 25 as the payments API records a refund of it. */
export type Paid = {
  readonly id: string
  readonly path: string
  readonly currency: string
  readonly whole: string
  readonly part: string
}

/** Creates a link of 125.50 AUD whose payment was received. */
export async function paidLink(network: Network): Promise<Paid> {
  const link = await createLink(network)
  await network.sandbox.control.setStatus(link.id, 'received')
  const { payment } = await historyOf(network, link.id)
  return { id: payment?.id ?? '', path: OF_LINK, currency: 'AUD', whole: '125.50', part: '25.00' }
}

/** Creates a direct payin of 25000 KRW whose payment was received. */
export async function paidPayin(network: Network): Promise<Paid> {
  const { id } = await createPayin(network)
  await network.sandbox.control.setStatus(id, 'received')
  return { id, path: OF_PAYIN, currency: 'KRW', whole: '25000.0', part: '25.0' }
}

/** Requests a refund, with a key of its own unless `over` has one. */
export const refund = (network: Network, paymentId: string, over: Record<string, unknown> = {}) =>
  mutate(network, 'refundPayment', { idempotencyKey: newKey(), paymentId, description: 'Changed their mind', ...over })

/** Advances the payments API's clock, and waits for the resulting status, which a read may have to confirm. */
export async function ends(
  network: Network,
  id: string,
  toStatus: string,
  seconds = BY_HAND.paceMs / 1000,
): Promise<PaymentNode | null> {
  const stream = await network.follow(PAYMENT_UPDATES, { id })
  await stream.until(isCaughtUp)
  await network.sandbox.control.advance(seconds)
  await stream.until(({ event }) => event?.toStatus === toStatus)
  await stream.end()
  return readPayment(network, id)
}

import { beforeAll, expect, it } from 'vitest'
import { type PaymentUpdate, type Transport, watchPaymentLink } from '../../packages/client/src/index.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { BY_HAND } from '../support/payins.ts'
import { historyOf } from '../support/payments.ts'
import { refund } from '../support/refunds.ts'
import { eventsOf, isCaughtUp, keep, QUICK } from './watching.ts'

const TRANSPORTS: readonly Transport[] = ['socket', 'sse', 'polling']

let network: Network
beforeAll(async () => {
  network = await startNetwork({ sandbox: BY_HAND })
  return () => network.close()
})

const optionsFor = (transport: Transport) => ({
  url: `${network.app.url}/graphql`,
  transports: [transport],
  pollMs: 10,
  timing: QUICK,
})

/** Lets the time pass in which the payments API pays a refund out. */
const payOut = () => network.sandbox.control.advance(BY_HAND.paceMs / 1000)

const stateOf =
  (number: number) =>
  ({ payment }: PaymentUpdate) =>
    payment?.refunds[number - 1]?.state

it.each(TRANSPORTS)(
  'a payer follows the refunds of a payment over %s, each from its request to its end',
  async (transport) => {
    const link = await createLink(network)
    await network.sandbox.control.setStatus(link.id, 'received')
    const id = (await historyOf(network, link.id)).payment?.id ?? ''
    const { statusToken } = link
    const watch = keep((more) => watchPaymentLink(link.id, { ...optionsFor(transport), ...more, statusToken }))
    await watch.until(isCaughtUp)
    expect(watch.updates[0]).toMatchObject({ payment: { refundable: true, refunds: [] } })

    await refund(network, id, { amount: { value: '25', currency: 'AUD' } })
    const asked = await watch.until((update) => stateOf(1)(update) === 'PENDING' && update.event !== null)
    const first = { id: `${id}-1`, amount: { value: '25.00', currency: 'AUD' } }
    const pending = { ...first, state: 'PENDING', settledAt: null }
    expect(asked.payment?.refunds).toMatchObject([pending])
    const requested = await watch.until((update) => update.payment?.refunds[0]?.requestedHere === true)
    expect(Date.parse(requested.payment?.refunds[0]?.requestedAt ?? '')).toBeLessThanOrEqual(Date.now())
    await payOut()
    const settled = await watch.until((update) => stateOf(1)(update) === 'SETTLED' && update.event?.refund != null)
    expect(settled).toMatchObject({
      event: {
        toStatus: 'partially_refunded',
        after: { phase: 'SUCCEEDED' },
        refund: { refundId: first.id, amount: first.amount, state: 'SETTLED' },
      },
      payment: {
        phase: 'SUCCEEDED',
        refunded: { value: '25.00' },
        refunds: [{ ...first, state: 'SETTLED', requestedHere: true }],
      },
    })

    await refund(network, id)
    await payOut()
    const all = await watch.until((update) => stateOf(2)(update) === 'SETTLED' && update.payment?.phase === 'REFUNDED')
    expect(all.payment).toMatchObject({ refunds: [{ state: 'SETTLED' }, { id: `${id}-2`, state: 'SETTLED' }] })
    await watch.leave()
    const cursors = eventsOf(watch.updates)
    expect(new Set(cursors).size).toBe(cursors.length)
  },
)

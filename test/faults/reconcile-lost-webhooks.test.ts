import { expect, it } from 'vitest'
import { createLink } from '../support/operations.ts'
import { historyOf } from '../support/payments.ts'
import { casesOf } from './rounds.ts'
import { startVirtualNetwork } from './virtual-network.ts'

const MINUTE = 60_000
/** Longer than any of these tests takes on its virtual clock, in milliseconds. */
const PAST_MS = 180 * MINUTE
/** In real time. */
const TIMEOUT_MS = 300_000
/** These tests count the calls of the payments API. */
const NO_COMPARISONS = { DAILY_RECONCILIATION: 'off' }

type Fixture = Awaited<ReturnType<typeof startVirtualNetwork>>

/** Advances the clock until the payments API has been called once more, and its answer is stored. */
async function untilRead({ network, proxy, time }: Fixture, atMost: number): Promise<void> {
  const before = proxy.calls.length
  await time.passUntil(() => proxy.calls.length > before, atMost)
  await network.app.settle()
}

const CHANGES = [
  ['pending', 'authorised'],
  ['pending', 'received'],
  ['authorised', 'failed'],
  ['authorised', 'received'],
  ['waiting', 'received'],
] as const

// promise(facts): Without any webhook, a payment is right within an hour, and an expired link within two minutes.
it.each(casesOf('changes whose webhook is lost', CHANGES, 2))(
  'a payment that is %s is seen to be %s within an hour although each webhook of it is lost',
  async (from, to) => {
    const fixture = await startVirtualNetwork(PAST_MS, NO_COMPARISONS)
    const { network, time } = fixture
    const { id } = await createLink(network)
    await network.sandbox.control.setStatus(id, from)
    await time.pass(MINUTE)
    await network.sandbox.control.setStatus(id, to, { silent: true })
    const statusNow = async () => (await historyOf(network, id)).payment?.status
    expect(await statusNow()).toBe(from.toUpperCase())
    await untilRead(fixture, 60 * MINUTE)
    expect(await statusNow()).toBe(to.toUpperCase())
  },
  TIMEOUT_MS,
)

const LINKS = [
  ['that nobody used', null],
  ['of a payment that is pending', 'pending'],
  ['of a payment that is authorised', 'authorised'],
] as const

it.each(casesOf('links whose end is lost', LINKS, 1))(
  'the end of a link %s is seen within two minutes although each webhook of it is lost',
  async (_name, status) => {
    const fixture = await startVirtualNetwork(PAST_MS, NO_COMPARISONS)
    const { network, time } = fixture
    const { id, expiresAt } = await createLink(network)
    if (status !== null) await network.sandbox.control.setStatus(id, status)
    await time.pass(Date.parse(expiresAt) - time.clock().getTime())
    await network.sandbox.control.setStatus(id, 'expired', { silent: true })
    await untilRead(fixture, 2 * MINUTE)
    const { state, payment, events } = await historyOf(network, id)
    expect({ state, status: payment?.status ?? null, source: events.at(-1)?.source }).toEqual({
      state: 'EXPIRED',
      status: status === null ? null : 'EXPIRED',
      source: 'READ',
    })
  },
  TIMEOUT_MS,
)

import { type Arbitrary, constantFrom, nat, record } from 'fast-check'
import { expect, it } from 'vitest'
import type { PaymentEvent } from '../../../src/domain/events/payment-event.ts'
import { factsOf, PAID_RANK, PAYMENT_STATUSES } from '../../../src/domain/payments/payment-report.ts'
import type { Store } from '../../../src/ledger/store.ts'
import type { ReadSubject } from '../../../src/store/port.ts'
import { after, command, delivery, events, MINUTE, payin, paymentOf, report, settledLink } from './builders.ts'
import { failingHistory, type RandomHistories } from './random-history.ts'
import type { Fixture, OpenStore } from './store-contract.ts'

/** One step of a history: a webhook, a read that is sent or answered, or the answer to a command. */
type Step = {
  readonly act: 'deliver' | 'take' | 'answer' | 'settle' | 'refund'
  readonly payment: number
  readonly status: string
  readonly bytes: number
}

const step: Arbitrary<Step> = record({
  act: constantFrom('deliver', 'deliver', 'deliver', 'deliver', 'take', 'answer', 'settle', 'refund'),
  payment: nat(3),
  status: constantFrom(...PAYMENT_STATUSES, 'quite_new'),
  bytes: nat(1),
})

/** Correlation ids by payment: none for the first, a link's for two, a payin's for the last. */
const ADDRESSES = [null, 'a', 'a', 'p'] as const

const UNDER_WAY: ReadonlySet<string | null> = new Set(['pending', 'authorised', 'waiting'])

export function randomHistoriesContract(fixture: Fixture, open: OpenStore): void {
  // The versions that the last watched step has left; a store of another history begins anew.
  let versions = new Map<string, number>()
  it('never lets a version fall, a sequence skip, or a paid payment become unpaid', async () => {
    const histories: RandomHistories<Step> = {
      step,
      longest: 30,
      async begin(store) {
        versions = new Map()
        await settledLink(store, 'a')
        const { command: asked } = await store.commands.begin(command('p', { refKind: 'payin' }))
        const sent = new Map<string, ReadSubject>()
        return (next, index) => playStep(store, next, { sent, payinCommand: asked.id, index })
      },
      watch: (store) => watchVersions(store, versions),
      examine,
    }
    expect(await failingHistory({ fixture, open }, histories)).toBeNull()
  })
}

async function playStep(
  store: Store,
  { act, payment, status, bytes }: Step,
  { sent, payinCommand, index }: { sent: Map<string, ReadSubject>; payinCommand: string; index: number },
): Promise<void> {
  const at = after(index * MINUTE)
  const paymentId = `P${payment}`
  const said = report(status, { paymentId })
  if (act === 'deliver') {
    const ref = ADDRESSES[payment] ?? null
    await store.inbox.receive(delivery(said, { ref, bytes: `${bytes}`, receivedAt: at }))
  } else if (act === 'take') {
    const subject = await store.reads.subject(paymentId)
    if (subject !== null) sent.set(paymentId, subject)
  } else if (act === 'settle') {
    const made = payin('p', { paymentId: 'P3' })
    await store.commands.settleWithPayin(payinCommand, { payin: made, report: report(status, { paymentId: 'P3' }), at })
  } else if (act === 'refund') {
    const asked = command(`refund-${index}`, { refKind: null, sentAt: at.getTime() - 2 * MINUTE })
    const { command: begun } = await store.commands.begin(asked)
    await store.commands.settleWithPayment(begun.id, { paymentId, report: said, at })
  } else {
    const subject = sent.get(paymentId)
    if (subject !== undefined) await store.reads.record(subject, said, at, null)
  }
}

async function watchVersions(store: Store, versions: Map<string, number>): Promise<void> {
  for (const { id, version } of await store.payments.byIds(['P0', 'P1', 'P2', 'P3'])) {
    expect(version).toBeGreaterThanOrEqual(versions.get(id) ?? 0)
    versions.set(id, version)
  }
}

async function examine(store: Store): Promise<void> {
  const log = await events(store)
  expect(log.map(({ position }) => position)).toEqual(log.map((_, index) => index + 1))
  for (const ofStream of Map.groupBy(log, ({ streamId }) => streamId).values())
    expect(ofStream.map(({ sequence }) => sequence)).toEqual(ofStream.map((_, index) => index + 1))
  for (const [id, ofPayment] of Map.groupBy(log, ({ payment }) => payment?.id ?? null))
    if (id !== null) await examinePayment(store, id, ofPayment)
}

async function examinePayment(store: Store, id: string, history: readonly PaymentEvent[]): Promise<void> {
  let paid = false
  let before: string | null = null
  for (const event of history) {
    expect(event.fromStatus).toBe(before)
    expect(event.payment?.version).toBe(event.sequence)
    if (paid) expect(UNDER_WAY.has(event.toStatus)).toBe(false)
    before = event.toStatus
    const status = event.payment?.status ?? null
    paid = status === null ? paid : factsOf(status).rank >= PAID_RANK
  }
  const payment = await paymentOf(store, id)
  expect(payment.statusRaw).toBe(before)
  expect(payment.version).toBe(history.at(-1)?.sequence)
}

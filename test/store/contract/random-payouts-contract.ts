import { type Arbitrary, constantFrom, nat, record } from 'fast-check'
import { expect, it } from 'vitest'
import { PAYOUT_STATUSES } from '../../../src/domain/payouts/payout-report.ts'
import type { Store } from '../../../src/ledger/store.ts'
import type { PayoutReadSubject } from '../../../src/store/port.ts'
import { nextDue } from '../../support/due-reads.ts'
import { payoutReport, payoutTransaction } from '../../unit/domain/payouts.ts'
import { after, command, events, MINUTE, payoutCallback, payoutCommand, payoutOf } from './builders.ts'
import { failingHistory, type RandomHistories } from './random-history.ts'
import type { Fixture, OpenStore } from './store-contract.ts'

/** One step of a history: a callback, the answer to the creation or to a cancellation, or a read that is sent or answered. */
type Step = {
  readonly act: 'call back' | 'settle' | 'cancel' | 'take' | 'answer'
  readonly status: string
  readonly transaction: string
  readonly bytes: number
}

const step: Arbitrary<Step> = record({
  act: constantFrom('call back', 'call back', 'call back', 'settle', 'cancel', 'take', 'answer'),
  status: constantFrom(...PAYOUT_STATUSES, 'quite_new'),
  transaction: constantFrom('pending', 'settled', 'failed'),
  bytes: nat(1),
})

export function randomPayoutsContract(fixture: Fixture, open: OpenStore): void {
  it('never lets a version fall, a sequence skip, or a payout be created again', async () => {
    const histories: RandomHistories<Step> = {
      step,
      longest: 25,
      async begin(store) {
        const { command: created } = await store.commands.begin(payoutCommand('out'))
        const playing: Playing = { sent: null, id: created.id }
        return (next, index) => playStep(store, next, playing, index)
      },
      examine,
    }
    expect(await failingHistory({ fixture, open }, histories)).toBeNull()
  })
}

type Playing = { sent: PayoutReadSubject | null; readonly id: string }

async function playStep(
  store: Store,
  { act, status, transaction, bytes }: Step,
  playing: Playing,
  index: number,
): Promise<void> {
  const at = after(index * MINUTE)
  const payees = [
    { transactionId: 'T1', name: 'Ada Payee', accountNumberMasked: '***890', payIdMasked: null, bankCode: null },
  ]
  const said = payoutReport(status, { transactions: [payoutTransaction({ statusRaw: transaction })], payees })
  if (act === 'call back') {
    await store.inbox.receivePayout(payoutCallback(said, { bytes: `${bytes}`, receivedAt: at }))
  } else if (act === 'settle') {
    await store.commands.settleWithPayout(playing.id, { ref: 'out', site: 'au', report: said, at })
  } else if (act === 'cancel') {
    const asked = command(`cancel-${index}`, { refKind: null, subject: { payoutId: 'OUT1' } })
    const { command: begun } = await store.commands.begin(asked)
    await store.commands.settleWithPayoutCancellation(begun.id, { payoutId: 'OUT1', report: said, at })
  } else if (act === 'take') {
    playing.sent = await store.payoutReads.subject('OUT1')
  } else if (playing.sent !== null) {
    await store.payoutReads.record(playing.sent, said, at, null)
  }
}

async function examine(store: Store): Promise<void> {
  const log = await events(store)
  let before: string | null = null
  for (const [index, event] of log.entries()) {
    expect(event.position).toBe(index + 1)
    expect(event.sequence).toBe(index + 1)
    expect(event.payout?.version).toBe(event.sequence)
    expect(event.kind === 'PAYOUT_CREATED').toBe(index === 0)
    expect(event.fromStatus).toBe(before)
    expect(before !== null && before !== 'created' && before !== 'quite_new' && event.toStatus === 'created').toBe(
      false,
    )
    before = event.toStatus
  }
  if (log.length === 0) return
  expect(JSON.stringify(log)).not.toMatch(/Ada|890/)
  const payout = await payoutOf(store)
  expect(payout).toMatchObject({ statusRaw: before, version: log.length })
  expect(log.at(-1)?.payout).toEqual({ ...payout, provisional: log.at(-1)?.payout?.provisional })
  // For every doubtful payout a read is planned that ends the doubt, and for every other one that is not at its end.
  const isFinished = payout.status === 'completed' || payout.status === 'expired'
  const isPlanned = (await nextDue(store, 'payout')) !== null
  expect(isPlanned || (isFinished && !payout.provisional)).toBe(true)
}

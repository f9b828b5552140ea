import { expect, it } from 'vitest'
import { decidePayoutCallback, decidePayoutRead, type Payout } from '../../../../src/domain/payouts/payout.ts'
import { allWrongEnds, type Kind } from '../orders.ts'
import { decided, payoutReport, payoutTransaction } from '../payouts.ts'

/** The statuses that can follow each status at the payments API; `held` and `returned` are such as this version does not know. */
const NEXT: Readonly<Record<string, readonly string[]>> = {
  created: ['scheduled', 'processing', 'expired', 'held'],
  scheduled: ['processing', 'expired', 'held'],
  held: ['processing', 'expired'],
  processing: ['completed'],
  completed: ['returned'],
  returned: [],
  expired: [],
}

/** The status of the batch and of its transaction. */
type Sent = { readonly status: string; readonly transaction: string }

const said = ({ status, transaction }: Sent) =>
  payoutReport(status, { transactions: [payoutTransaction({ statusRaw: transaction })] })

const PAYOUTS: Kind<Sent, Payout> = {
  first: { status: 'created', transaction: 'pending' },
  /** A transaction is settled while the batch is processed or after it is completed. */
  next(last) {
    const { transaction } = last
    const steps = (NEXT[last.status] ?? []).map((status) => ({ status, transaction }))
    const settles = ['processing', 'completed'].includes(last.status) && transaction === 'pending'
    return settles ? [...steps, { ...last, transaction: 'settled' }] : steps
  },
  receive(state, sent, repeat) {
    const decision = decidePayoutCallback(state, said(sent), repeat)
    return { state: decided(state, decision), confirm: decision.confirm }
  },
  read: (state, sent) => decided(state, decidePayoutRead(state, said(sent))),
  shows: (state, { status, transaction }) =>
    state?.statusRaw === status && state.transactions[0]?.statusRaw === transaction && !state.provisional,
  keyOf: ({ statusRaw, reached, transactions, provisional }) =>
    `${statusRaw} ${reached} ${transactions[0]?.statusRaw} ${provisional}`,
}

it.each([
  { length: 4, repeats: 3 },
  { length: 6, repeats: 1 },
])(
  'every order of every history of $length callbacks, $repeats repeats, ends with the truth',
  ({ length, repeats }) => {
    const { moments, wrong } = allWrongEnds(PAYOUTS, length, repeats)
    expect(wrong.slice(0, 5)).toEqual([])
    expect(moments).toBeGreaterThan(1_000)
  },
)

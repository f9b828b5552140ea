import { describe, expect, it } from 'vitest'
import { PAYOUT_STATUSES } from '../../../../src/domain/payouts/payout-report.ts'
import {
  decidePayoutCallback,
  decidePayoutCreation,
  decidePayoutRead,
  type PayoutDecision,
} from '../../../../src/domain/payouts/payout.ts'
import { decided, givenPayout, payoutReport, payoutTransaction } from '../payouts.ts'

/** Columns of every table below: the reported status. */
const INCOMING = ['created', 'scheduled', 'processing', 'completed', 'expired', 'held']

/** Statuses that were read of the payout before, for each row. */
const HISTORIES: Readonly<Record<string, readonly string[]>> = {
  created: ['created'],
  scheduled: ['created', 'scheduled'],
  processing: ['created', 'processing'],
  completed: ['processing', 'completed'],
  expired: ['scheduled', 'expired'],
  'held, after created': ['created', 'held'],
  'held, after processing': ['processing', 'held'],
  'held, after completed': ['completed', 'held'],
}

/**
 * A: applied. P: applied, in doubt until a read. N: no change. S: stale. Q: stale, and a read is due. D: doubtful: in doubt until a read.
 */
const FIRST_TIME = {
  created: 'N A A A A P',
  scheduled: 'S N A A A P',
  processing: 'S S N A A P',
  completed: 'S S Q N D D',
  expired: 'S S Q D N D',
  'held, after created': 'P P P P P N',
  'held, after processing': 'Q Q P P P N',
  'held, after completed': 'Q Q Q P P N',
}

/** N: no change. S: stale. Q: stale, and a read is due. D: doubtful. R: no change, and in doubt until a read. */
const REPEATED = {
  created: 'N R R R R R',
  scheduled: 'S N R R R R',
  processing: 'S S N R R R',
  completed: 'S S Q N D D',
  expired: 'S S Q D N D',
  'held, after created': 'R R R R R N',
  'held, after processing': 'Q Q R R R N',
  'held, after completed': 'Q Q Q R R N',
}

/** A: applied, ends a doubt. S: stale, does not end a doubt. N: confirmed without a change, ends a doubt. */
const READ = {
  created: 'N A A A A A',
  scheduled: 'S N A A A A',
  processing: 'S A N A A A',
  completed: 'S A A N A A',
  expired: 'S A A A N A',
  'held, after created': 'A A A A A N',
  'held, after processing': 'S A A A A N',
  'held, after completed': 'S A A A A N',
}

function callbackMark({ disposition, provisional, confirm }: PayoutDecision): string {
  if (disposition === 'DOUBTFUL') return provisional === true && confirm ? 'D' : '?'
  if (disposition === 'STALE') return confirm ? 'Q' : 'S'
  if (disposition === 'NO_CHANGE') return confirm ? (provisional === true ? 'R' : '?') : 'N'
  return confirm ? (provisional === true ? 'P' : '?') : provisional === null ? 'A' : '?'
}

function readMark({ disposition, provisional, confirm }: PayoutDecision): string {
  if (disposition === 'STALE') return provisional === null && !confirm ? 'S' : '?'
  if (provisional !== false || confirm) return '?'
  return disposition === 'APPLIED' ? 'A' : 'N'
}

describe('what a report means for a payout', () => {
  it.each([
    [
      'a callback',
      FIRST_TIME,
      (history: readonly string[], said: string) =>
        callbackMark(decidePayoutCallback(givenPayout(...history), payoutReport(said), false)),
    ],
    [
      'the same bytes again',
      REPEATED,
      (history: readonly string[], said: string) =>
        callbackMark(decidePayoutCallback(givenPayout(...history), payoutReport(said), true)),
    ],
    [
      'a read',
      READ,
      (history: readonly string[], said: string) =>
        readMark(decidePayoutRead(givenPayout(...history), payoutReport(said))),
    ],
  ])('is as the table says: %s', (_, table, mark) => {
    const rows = Object.entries(HISTORIES).map(([row, history]) => [
      row,
      INCOMING.map((said) => mark(history, said)).join(' '),
    ])
    expect(Object.fromEntries(rows)).toEqual(table)
  })

  it.each([...PAYOUT_STATUSES])('creates it from a first callback with the status %s', (status) => {
    const decision = decidePayoutCallback(null, payoutReport(status), false)
    expect(decision).toMatchObject({ disposition: 'APPLIED', provisional: false, confirm: false })
    expect(decided(null, decision)).toMatchObject({ status, reached: status, version: 1, cancelledAt: null })
  })

  it('keeps an unknown status raw, and has it confirmed', () => {
    const decision = decidePayoutCallback(null, payoutReport('held'), false)
    expect(decision).toMatchObject({ provisional: true, confirm: true })
    expect(decided(null, decision)).toMatchObject({ status: null, statusRaw: 'held', reached: null })
  })

  it.each([{ currency: 'JPY' }, { methodCode: 'jp_bank_jpy' }, { id: 'OUT2' }])(
    'is doubtful when it is about another batch: %j',
    (other) => {
      const state = givenPayout('created')
      expect(decidePayoutCallback(state, payoutReport('completed', other), false).disposition).toBe('DOUBTFUL')
      expect(decidePayoutRead(state, payoutReport('completed', other)).disposition).toBe('STALE')
    },
  )
})

describe('the facts of a payout', () => {
  it('stay where a report leaves them out or spells an amount in another way', () => {
    const state = givenPayout('created')
    const nothing = { currency: null, methodCode: null, description: null, reference: null, transactions: [] }
    const said = payoutReport('created', { ...nothing, totalAmount: '40' })
    expect(decidePayoutCallback(state, said, false)).toMatchObject({ disposition: 'NO_CHANGE', confirm: false })
  })

  it('are added at once where they were missing, and confirmed where they replace others', () => {
    const state = givenPayout(payoutReport('processing', { description: null }))
    const added = decidePayoutCallback(state, payoutReport('processing', { description: 'Prizes' }), false)
    expect(added).toMatchObject({ provisional: null, confirm: false, change: { kind: 'PAYOUT_DETAILS_CHANGED' } })
    const other = decidePayoutCallback(
      givenPayout('processing'),
      payoutReport('processing', { description: 'X' }),
      false,
    )
    expect(other).toMatchObject({ disposition: 'APPLIED', provisional: true, confirm: true })
  })

  it('have an error as long as the status that it explains', () => {
    const short = { errorCode: 'svc_PAYOUT1', errorMessage: 'Top it up.' }
    const state = givenPayout('created', payoutReport('scheduled', short))
    expect(state).toMatchObject(short)
    const same = decided(state, decidePayoutCallback(state, payoutReport('scheduled', { description: 'More' }), false))
    expect(same).toMatchObject(short)
    expect(givenPayout('created', payoutReport('scheduled', short), 'processing')).toMatchObject({
      errorCode: null,
      errorMessage: null,
    })
  })

  it('contain each transaction in its place, with its own state', () => {
    const two = [payoutTransaction({ statusRaw: 'pending' }), payoutTransaction({ id: 'T2', statusRaw: 'pending' })]
    const state = givenPayout(payoutReport('processing', { transactions: two }))
    const failed = { statusRaw: 'failed', errorMessage: 'Refused.', amount: null }
    const told = [payoutTransaction({ id: 'T3' }), payoutTransaction({ id: 'T2', ...failed })]
    const after = decided(state, decidePayoutRead(state, payoutReport('completed', { transactions: told })))
    expect(after?.transactions).toMatchObject([
      { id: 'T1', statusRaw: 'pending' },
      { id: 'T2', statusRaw: 'failed', errorMessage: 'Refused.', amount: '40.00' },
      { id: 'T3' },
    ])
    const again = decided(
      after,
      decidePayoutRead(after, payoutReport('completed', { transactions: told.toReversed() })),
    )
    expect(again?.version).toBe(after?.version)
  })

  it('tell when a cancellation was accepted, once', () => {
    const state = givenPayout('scheduled')
    const [first, later] = ['2030-01-03T00:00:00.000Z', '2030-01-04T00:00:00.000Z']
    const cancelled = decided(state, decidePayoutRead(state, { ...payoutReport('expired'), cancelledAt: first }))
    expect(cancelled).toMatchObject({ status: 'expired', cancelledAt: first })
    const again = decidePayoutRead(cancelled, { ...payoutReport('expired'), cancelledAt: later })
    expect(again).toMatchObject({ disposition: 'NO_CHANGE', change: null })
  })
})

describe('the answer to the creation of a payout', () => {
  it('creates it', () => {
    expect(decidePayoutCreation(null, payoutReport('created'))).toMatchObject({
      disposition: 'APPLIED',
      provisional: false,
      change: { kind: 'PAYOUT_CREATED' },
    })
  })

  it('leads on what a callback has told before, when it was found late', () => {
    expect(decidePayoutCreation(givenPayout('created'), payoutReport('completed'))).toMatchObject({
      disposition: 'APPLIED',
      change: { kind: 'PAYOUT_STATUS_CHANGED', status: 'completed' },
    })
  })

  it('only fills in what callbacks left out, when they have overtaken it', () => {
    const bare = payoutReport('processing', { reference: null, description: null, transactions: [] })
    const state = givenPayout(bare)
    const answer = payoutReport('created', { transactions: [payoutTransaction({ statusRaw: 'pending' })] })
    const after = decided(state, decidePayoutCreation(state, answer))
    expect(after).toMatchObject({
      status: 'processing',
      reference: 'batch-1',
      transactions: [{ id: 'T1', statusRaw: 'pending' }],
    })
    expect(decidePayoutCreation(after, answer)).toMatchObject({ disposition: 'STALE', change: null })
  })
})

import { describe, expect, it, test } from 'vitest'
import { PAYMENT_STATUSES, recogniseStatus } from '../../../../src/domain/payments/payment-report.ts'
import { decideRead, decideWebhook, type Decision } from '../../../../src/domain/payments/payment.ts'
import { report } from '../../../store/contract/builders.ts'
import { given } from '../payments.ts'

/** Columns of every table below: the reported status. */
const INCOMING = [
  'pending',
  'authorised',
  'waiting',
  'failed',
  'expired',
  'received',
  'return_pending',
  'return_rejected',
  'return_expired',
  'partially_refunded',
  'in_dispute',
  'return_received',
  'dispute_lost',
]

/** A: applied. C: applied, and a read is due. D: doubtful. S: stale. N: no change. */
const FIRST_TIME = {
  pending: 'N A A C C A C C C C C C A',
  authorised: 'D N A C C A C C C C C C A',
  waiting: 'D D N C C A C C C C C C A',
  failed: 'D D D N D A C C C C C C A',
  expired: 'D D D D N A C C C C C C A',
  received: 'S S S D D N C C C C C C A',
  return_pending: 'S S S D D D N D D D D C A',
  return_rejected: 'S S S D D D D N D D D C A',
  return_expired: 'S S S D D D D D N D D C A',
  partially_refunded: 'S S S D D D D D D N D C A',
  in_dispute: 'S S S D D D D D D D N C A',
  return_received: 'S S S D D D D D D D D N D',
  dispute_lost: 'S S S D D D D D D D D D N',
}

/** N: no change. S: stale. R: no change, and in doubt until a read. Q: no change and no doubt, but a read for the totals is due. */
const REPEATED = {
  pending: 'N R R R R R R R R Q R R R',
  authorised: 'R N R R R R R R R Q R R R',
  waiting: 'R N N R R R R R R Q R R R',
  failed: 'R N N N R R R R R Q R R R',
  expired: 'R N N R N R R R R Q R R R',
  received: 'S S S R R N R R R Q R R R',
  return_pending: 'S S S R R R N R R Q R R R',
  return_rejected: 'S S S R R R R N R Q R R R',
  return_expired: 'S S S R R R R R N Q R R R',
  partially_refunded: 'S S S R R R R R R Q R R R',
  in_dispute: 'S S S R R R R R R Q N R R',
  return_received: 'S S S R R R R R R Q R N N',
  dispute_lost: 'S S S R R R R R R Q R N N',
}

/** A: applied, ends a doubt. S: stale, does not end a doubt. N: confirmed without a change, ends a doubt. */
const READ = {
  pending: 'N A A A A A A A A A A A A',
  authorised: 'A N A A A A A A A A A A A',
  waiting: 'A A N A A A A A A A A A A',
  failed: 'A A A N A A A A A A A A A',
  expired: 'A A A A N A A A A A A A A',
  received: 'S S S A A N A A A A A A A',
  return_pending: 'S S S A A A N A A A A A A',
  return_rejected: 'S S S A A A A N A A A A A',
  return_expired: 'S S S A A A A A N A A A A',
  partially_refunded: 'S S S A A A A A A N A A A',
  in_dispute: 'S S S A A A A A A A N A A',
  return_received: 'S S S A A A A A A A A N A',
  dispute_lost: 'S S S A A A A A A A A A N',
}

type Row = { state: string; incoming: string; expected: string }

function rows(table: Readonly<Record<string, string>>): Row[] {
  return Object.entries(table).flatMap(([state, cells]) =>
    cells.split(' ').map((expected, column) => ({ state, incoming: INCOMING[column] ?? '', expected })),
  )
}

function summary({ disposition, change, provisional, confirm }: Decision) {
  return { disposition, changesTo: change?.statusRaw ?? null, provisional, confirm }
}

const quiet = { changesTo: null, provisional: null, confirm: false }

test('the tables hold every pair of documented statuses', () => {
  expect(INCOMING.toSorted()).toEqual([...PAYMENT_STATUSES].sort())
  for (const table of [FIRST_TIME, REPEATED, READ]) {
    expect(Object.keys(table)).toEqual(INCOMING)
    expect(rows(table)).toHaveLength(13 * 13)
  }
})

describe('a webhook that comes for the first time', () => {
  it.each(rows(FIRST_TIME))('$state, told $incoming: $expected', ({ state, incoming, expected }) => {
    const meaning: Record<string, object> = {
      A: { disposition: 'APPLIED', changesTo: incoming, provisional: false, confirm: false },
      C: { disposition: 'APPLIED', changesTo: incoming, provisional: false, confirm: true },
      D: { disposition: 'DOUBTFUL', changesTo: null, provisional: true, confirm: true },
      S: { ...quiet, disposition: 'STALE' },
      N: { ...quiet, disposition: 'NO_CHANGE' },
    }
    expect(summary(decideWebhook(given(state), report(incoming), false))).toEqual(meaning[expected])
  })
})

describe('the same bytes again', () => {
  it.each(rows(REPEATED))('$state, told $incoming again: $expected', ({ state, incoming, expected }) => {
    const meaning: Record<string, object> = {
      N: { ...quiet, disposition: 'NO_CHANGE' },
      S: { ...quiet, disposition: 'STALE' },
      R: { disposition: 'NO_CHANGE', changesTo: null, provisional: true, confirm: true },
      Q: { ...quiet, disposition: 'NO_CHANGE', confirm: true },
    }
    expect(summary(decideWebhook(given(state), report(incoming), true))).toEqual(meaning[expected])
  })
})

describe('a read', () => {
  it.each(rows(READ))('$state, read as $incoming: $expected', ({ state, incoming, expected }) => {
    const meaning: Record<string, object> = {
      A: { disposition: 'APPLIED', changesTo: incoming, provisional: false, confirm: false },
      S: { ...quiet, disposition: 'STALE' },
      N: { ...quiet, disposition: 'NO_CHANGE', provisional: false },
    }
    expect(summary(decideRead(given(state), report(incoming)))).toEqual(meaning[expected])
  })
})

describe('recogniseStatus', () => {
  it.each([...PAYMENT_STATUSES])('knows %s', (status) => expect(recogniseStatus(status)).toBe(status))

  it.each([
    ['refunded', 'return_received'],
    ['canceled', 'expired'],
  ])('takes %s for %s', (raw, status) => expect(recogniseStatus(raw)).toBe(status))

  it.each(['', 'PENDING', 'pending ', 'quite_new', 'constructor', 'toString', '__proto__', 'hasOwnProperty'])(
    'does not know %j',
    (raw) => expect(recogniseStatus(raw)).toBeNull(),
  )
})

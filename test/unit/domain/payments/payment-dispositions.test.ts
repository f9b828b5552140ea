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

function summary({ disposition, change, provisional, confirm }: Decision) {
  return { disposition, changesTo: change?.statusRaw ?? null, provisional, confirm }
}

const quiet = { changesTo: null, provisional: null, confirm: false }

const applied = { disposition: 'APPLIED', provisional: false, confirm: false }
const stale = { ...quiet, disposition: 'STALE' }
const unchanged = { ...quiet, disposition: 'NO_CHANGE' }

type Meanings = Readonly<Record<string, object>>

const WEBHOOK: Meanings = {
  A: applied,
  C: { ...applied, confirm: true },
  D: { disposition: 'DOUBTFUL', provisional: true, confirm: true },
  S: stale,
  N: unchanged,
  R: { ...unchanged, provisional: true, confirm: true },
  Q: { ...unchanged, confirm: true },
}

test('the tables hold every pair of documented statuses', () => {
  expect(INCOMING.toSorted()).toEqual([...PAYMENT_STATUSES].sort())
  for (const table of [FIRST_TIME, REPEATED, READ]) expect(Object.keys(table)).toEqual(INCOMING)
})

it.each<[string, Readonly<Record<string, string>>, Meanings, typeof decideRead]>([
  [
    'a webhook, also a late one, that comes for the first time',
    FIRST_TIME,
    WEBHOOK,
    (state, said) => decideWebhook(state, said, false),
  ],
  ['the same bytes again', REPEATED, WEBHOOK, (state, said) => decideWebhook(state, said, true)],
  ['a read', READ, { A: applied, S: stale, N: { ...unchanged, provisional: false } }, decideRead],
])('%s means what the table says', (_what, table, meanings, decide) => {
  for (const [state, marks] of Object.entries(table)) {
    const letters = marks.split(' ')
    const decided = INCOMING.map((incoming) => summary(decide(given(state), report(incoming))))
    expect([state, decided]).toMatchObject([state, letters.map((letter) => meanings[letter])])
    const changes = INCOMING.map((incoming, column) => ('AC'.includes(letters[column] ?? '-') ? incoming : null))
    expect([state, decided.map(({ changesTo }) => changesTo)]).toEqual([state, changes])
  }
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

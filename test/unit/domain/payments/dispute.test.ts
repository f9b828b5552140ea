import { expect, it } from 'vitest'
import { type Dispute, disputeAfter } from '../../../../src/domain/payments/dispute.ts'
import type { PaymentStatus } from '../../../../src/domain/payments/payment-report.ts'

const details = { amount: '100', paid: '100.50', refunded: '20' }

/** Returns the dispute after these statuses, the first one at minute 0. */
function after(...statuses: readonly (PaymentStatus | null)[]): Dispute | undefined {
  return statuses.reduce<{ status: PaymentStatus | null; details: typeof details; dispute?: Dispute } | null>(
    (before, status, minute) => {
      const dispute = disputeAfter(before, { status, details }, `minute ${minute}`)
      return { status, details, ...(dispute === undefined ? {} : { dispute }) }
    },
    null,
  )?.dispute
}

const opened = { openedAt: 'minute 1', amount: '80.50' }
const open = { ...opened, outcome: null, decidedAt: null }

it.each([
  ['was never disputed', ['pending', 'received', 'return_pending', 'return_received'], undefined],
  ['is disputed', ['received', 'in_dispute'], open],
  ['is disputed still', ['received', 'in_dispute', 'in_dispute'], open],
  ['is disputed, and had a status that is not known', ['received', 'in_dispute', null, 'in_dispute'], open],
  ['was lost', ['received', 'in_dispute', 'dispute_lost'], { ...opened, outcome: 'LOST', decidedAt: 'minute 2' }],
  [
    'was lost without a report of the dispute',
    ['received', 'dispute_lost'],
    { openedAt: null, amount: '80.50', outcome: 'LOST', decidedAt: 'minute 1' },
  ],
  ['was won', ['received', 'in_dispute', 'received'], { ...opened, outcome: 'WON', decidedAt: 'minute 2' }],
  [
    'was lost, and won after all',
    ['received', 'in_dispute', 'dispute_lost', 'received'],
    { ...opened, outcome: 'WON', decidedAt: 'minute 3' },
  ],
  [
    'was won, and refunded',
    ['received', 'in_dispute', 'received', 'return_pending'],
    { ...opened, outcome: 'WON', decidedAt: 'minute 2' },
  ],
  ['is disputed again', ['received', 'in_dispute', 'received', 'in_dispute'], { ...open, openedAt: 'minute 3' }],
] as const)('a payment that %s', (_what, statuses, dispute) => {
  expect(after(...statuses)).toEqual(dispute)
})

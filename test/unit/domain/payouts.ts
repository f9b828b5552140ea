import {
  PAYOUT_STATUSES,
  type PayoutReport,
  type PayoutTransaction,
} from '../../../src/domain/payouts/payout-report.ts'
import {
  decidePayoutRead,
  evolvePayout,
  type NewPayout,
  type Payout,
  type PayoutDecision,
  payoutStreamId,
} from '../../../src/domain/payouts/payout.ts'

/** Returns a transaction of 40.00 by default. */
export function payoutTransaction(parts: Partial<PayoutTransaction> = {}): PayoutTransaction {
  return {
    id: 'T1',
    amount: '40.00',
    statusRaw: null,
    errorMessage: null,
    createdAt: '2030-01-02T03:04:05.000Z',
    ...parts,
  }
}

/** Returns a report of a payout by the payments API: one transaction of 40.00 AUD by default. */
export function payoutReport(statusRaw: string, parts: Partial<PayoutReport> = {}): PayoutReport {
  return {
    id: 'OUT1',
    statusRaw,
    status: PAYOUT_STATUSES.find((status) => status === statusRaw) ?? null,
    totalAmount: '40.00',
    totalRefund: null,
    failedTransactions: null,
    currency: 'AUD',
    methodCode: 'au_bank_aud',
    description: 'Prizes of the week',
    reference: 'batch-1',
    scheduledAt: null,
    errorCode: null,
    errorMessage: null,
    transactions: [payoutTransaction()],
    payees: [],
    endpointUrl: null,
    ...parts,
  }
}

const NEW_PAYOUT: NewPayout = { id: 'OUT1', ref: 'out', streamId: payoutStreamId('OUT1'), site: 'au' }
const AT = '2030-01-02T03:04:05.678Z'

/** Returns the payout after a decision; null if it is still unknown. */
export function decided(state: Payout | null, { change, provisional }: PayoutDecision): Payout | null {
  const doubt = provisional ?? state?.provisional ?? false
  if (change === null) return state === null ? null : { ...state, provisional: doubt }
  const sequence = (state?.version ?? 0) + 1
  return evolvePayout(state ?? NEW_PAYOUT, change, { sequence, at: AT, provisional: doubt })
}

/** Returns a payout after reads with these statuses, in order. */
export function givenPayout(...history: readonly (string | PayoutReport)[]): Payout {
  const reports = history.map((said) => (typeof said === 'string' ? payoutReport(said) : said))
  const state = reports.reduce<Payout | null>((known, said) => decided(known, decidePayoutRead(known, said)), null)
  if (state === null) throw new Error('A payout has at least one status.')
  return state
}

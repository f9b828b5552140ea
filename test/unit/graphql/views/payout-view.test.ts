import { describe, expect, it } from 'vitest'
import type { PayoutReport, PayoutTransaction } from '../../../../src/domain/payouts/payout-report.ts'
import { payoutView } from '../../../../src/graphql/views/views.ts'

const transaction = (over: Partial<PayoutTransaction> = {}): PayoutTransaction => ({
  id: 'PT8K2LM4',
  amount: '100.00',
  statusRaw: 'settled',
  errorMessage: null,
  createdAt: null,
  ...over,
})

const payout = (over: Partial<PayoutReport> = {}): PayoutReport => ({
  id: 'OHXTEF9M',
  statusRaw: 'scheduled',
  status: 'scheduled',
  totalAmount: '1000',
  totalRefund: null,
  failedTransactions: null,
  currency: 'PHP',
  methodCode: 'ph_bank_php',
  description: null,
  reference: null,
  scheduledAt: null,
  errorCode: null,
  errorMessage: null,
  transactions: [transaction()],
  payees: [],
  endpointUrl: null,
  ...over,
})

describe('the currency of a payout', () => {
  it('is its own, whatever its site serves', () => {
    expect(payoutView(payout(), ['JPY'])?.totalAmount).toEqual({ value: '1000', currency: 'PHP' })
  })

  it('is the only one of its site, where the payments API names none', () => {
    const view = payoutView(payout({ currency: null }), ['JPY'])
    expect(view?.totalAmount.currency).toBe('JPY')
    expect(view?.transactions.map(({ amount }) => amount)).toEqual([{ value: '100.00', currency: 'JPY' }])
  })

  it.each([[['JPY', 'PHP']], [[]]])('is not guessed from %j', (currencies) => {
    expect(payoutView(payout({ currency: null }), currencies)).toBeNull()
  })
})

describe('the sum of a payout', () => {
  it('is the payments API’s own, even where the transactions say otherwise', () => {
    expect(payoutView(payout(), [])?.totalAmount.value).toBe('1000')
  })

  it('is that of the transactions where the payments API gives none, to the last digit', () => {
    const transactions = ['0.10', '0.2', '90071992547409.93'].map((amount) => transaction({ amount }))
    expect(payoutView(payout({ totalAmount: null, transactions }), [])?.totalAmount.value).toBe('90071992547410.23')
  })

  it('is not told when a transaction has no amount', () => {
    const transactions = [transaction(), transaction({ amount: null })]
    expect(payoutView(payout({ totalAmount: null, transactions }), [])).toBeNull()
  })
})

describe('the transactions of a payout', () => {
  it('are left out without an amount, and the others keep their payees', () => {
    const payee = {
      transactionId: 'T2',
      name: 'Ada Payee',
      accountNumberMasked: null,
      payIdMasked: null,
      bankCode: null,
    }
    const transactions = [transaction({ id: 'T1', amount: null }), transaction({ id: 'T2', amount: '7' })]
    const view = payoutView(payout({ transactions, payees: [payee] }), [])
    expect(view?.transactions.map(({ id, amount, payee: shown }) => [id, amount.value, shown])).toEqual([
      ['T2', '7', payee],
    ])
  })

  it('stand beside what the payments API said of them', () => {
    const report = payout()
    const view = payoutView(report, [])
    expect(view?.payout).toBe(report)
    expect(view?.transactions[0]?.transaction).toBe(report.transactions[0])
  })
})

import type { ExactJson } from 'payments-subgraph-lib/exact-json'
import { addDecimals, decimal, type Decimal } from '../values/decimal.ts'
import type { FullTarget } from '../values/request-fields.ts'
import type { Timer } from './clock.ts'
import type { OutgoingWebhook } from './webhook-sender.ts'

/** The statuses of a payout batch (gap sheet, section 19). */
export const PAYOUT_STATUSES = ['created', 'scheduled', 'processing', 'completed', 'expired'] as const

export type PayoutStatus = (typeof PAYOUT_STATUSES)[number]

/** One payee of a batch after validation (gap sheet, section 18). */
export type PayeeRequest = {
  readonly payee: string
  readonly amount: Decimal
  readonly externalId: string | null
  readonly params: Readonly<Record<string, ExactJson>>
}

/** The body of a payout creation after validation. */
export type PayoutRequest = {
  readonly currency: string
  readonly methodCode: string
  readonly description: string
  readonly externalId: string | null
  readonly scheduledAt: Date | undefined
  readonly target: FullTarget
  readonly payees: readonly PayeeRequest[]
}

/** One transaction of a batch. Only `settled` is documented (gap sheet, section 19); the other two are the sandbox's own. */
export type PayoutTransaction = PayeeRequest & {
  readonly uuid: string
  readonly balanceId: string
  status: 'pending' | 'settled' | 'failed'
  errorMessage: string | null
}

/** Why a batch does not proceed (gap sheet, section 19). */
export type PayoutError = { readonly code: string; readonly message: string }

/** A payout batch with the sandbox's internal state. */
export type Payout = {
  readonly uuid: string
  readonly siteId: string
  readonly currency: string
  /** Of v1 payouts alone: the number by which one is read, and whether it is tried again without funds. */
  readonly v1: { readonly number: number; readonly isRetry: boolean } | undefined
  readonly request: PayoutRequest
  readonly createdAt: Date
  readonly transactions: readonly PayoutTransaction[]
  readonly history: { readonly status: PayoutStatus; readonly at: Date; readonly silent: boolean }[]
  status: PayoutStatus
  error: PayoutError | undefined
  /** Until when the batch waits for funds; undefined before it waits. */
  fundsUntil: Date | undefined
  step: Timer | undefined
  held: OutgoingWebhook[] | undefined
}

/** Whether the batch's money has left the available balance and has not arrived yet. */
export function isUnderWay({ status }: Payout): boolean {
  return status === 'processing'
}

/** The sum of all transactions of a batch. */
export function totalAmount({ transactions }: Pick<Payout, 'transactions'>): Decimal {
  return transactions.map(({ amount }) => amount).reduce(addDecimals, decimal('0'))
}

/** The sum of a batch's transactions without the failed ones. */
export function handledAmount({ transactions }: Pick<Payout, 'transactions'>): Decimal {
  return totalAmount({ transactions: transactions.filter(({ status }) => status !== 'failed') })
}

import { maskedTarget } from '../payments/payment-facts.ts'
import { decimalText } from '../values/decimal.ts'
import { wireTime } from '../values/wire.ts'
import { totalAmount } from './sandbox-payout.ts'
import type { Payout, PayoutStatus, PayoutTransaction } from './sandbox-payout.ts'

/** The record of a payout in responses and webhooks (gap sheet, section 19). `status` overrides the actual status. */
export function payoutRecord(payout: Payout, status: PayoutStatus = payout.status): object {
  const { request, error } = payout
  return {
    uuid: payout.uuid,
    currency: payout.currency,
    payout_method_name: request.methodCode,
    description: request.description,
    total_amount: decimalText(totalAmount(payout)),
    status,
    webhook_notification: maskedTarget(request.target),
    scheduled_at: request.scheduledAt === undefined ? null : wireTime(request.scheduledAt),
    payout_transactions: payout.transactions.map((transaction) => transactionRecord(transaction, payout.createdAt)),
    error_code: error?.code ?? null,
    error_message: error?.message ?? null,
    external_id: request.externalId,
    created_at: wireTime(payout.createdAt),
  }
}

function transactionRecord(transaction: PayoutTransaction, createdAt: Date): object {
  return {
    uuid: transaction.uuid,
    balance_id: transaction.balanceId,
    payee: transaction.payee,
    amount: decimalText(transaction.amount, 2),
    external_id: transaction.externalId,
    payout_method_params: transaction.params,
    status: transaction.status,
    error_message: transaction.errorMessage,
    created_at: wireTime(createdAt),
  }
}

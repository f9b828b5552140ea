import { maskedTarget } from '../payments/payment-facts.ts'
import { addDecimals, decimal, decimalText } from '../values/decimal.ts'
import { wireTime } from '../values/wire.ts'
import { failedTransactions, totalAmount } from './sandbox-payout.ts'
import type { Payout, PayoutStatus, PayoutTransaction } from './sandbox-payout.ts'

/** The record of a payout in responses and webhooks (gap sheet, section 19). `status` overrides the actual status. */
export function payoutRecord(payout: Payout, status: PayoutStatus = payout.status): object {
  const { request, error } = payout
  return {
    ...(payout.v1 === undefined ? { payout_method_name: request.methodCode } : v1Fields(payout, payout.v1)),
    uuid: payout.uuid,
    currency: payout.currency,
    description: request.description,
    total_amount: decimalText(totalAmount(payout)),
    status,
    webhook_notification: maskedTarget(request.target),
    scheduled_at: request.scheduledAt === undefined ? null : wireTime(request.scheduledAt),
    payout_transactions: payout.transactions.map((transaction) => transactionRecord(transaction, payout)),
    error_code: error?.code ?? null,
    error_message: error?.message ?? null,
    external_id: request.externalId,
    created_at: wireTime(payout.createdAt),
  }
}

/** What the record of a v1 payout adds (gap sheet, section 20). What was not paid out is refunded. */
function v1Fields(payout: Payout, { number, isRetry }: NonNullable<Payout['v1']>): object {
  const failed = failedTransactions(payout)
  return {
    id: number,
    is_retry: isRetry,
    total_refund: decimalText(failed.map(({ amount }) => amount).reduce(addDecimals, decimal('0'))),
    total_failed_transactions: failed.length,
  }
}

function transactionRecord(transaction: PayoutTransaction, { v1, createdAt }: Payout): object {
  const { params, externalId } = transaction
  return {
    uuid: transaction.uuid,
    balance_id: transaction.balanceId,
    payee: transaction.payee,
    amount: decimalText(transaction.amount, 2),
    ...(v1 === undefined ? { external_id: externalId, payout_method_params: params } : { payid: null, ...params }),
    status: transaction.status,
    error_message: transaction.errorMessage,
    created_at: wireTime(createdAt),
  }
}

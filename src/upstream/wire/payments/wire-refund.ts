import { z } from 'zod'
import type { PaymentReport } from '../../../domain/payments/payment-report.ts'
import type { ExactJson } from '../../../lib/exact-json.ts'
import { amount, sentence, type RequestBody, requestBody, uuidText } from '../values/request-schema.ts'
import { decimal, isRecord } from '../values/wire-fields.ts'
import { readPaymentReport } from './wire-payment.ts'

/** Input for a refund (gap sheet, section 12). */
export type WireRefundRequest = {
  readonly uuid: string
  /** Plain digits; null for the whole amount. */
  readonly amount: string | null
  /** At least 5 characters. */
  readonly description: string
}

/** The answer to a refund. Amounts are plain digits; null if the answer does not contain them. */
export type RefundAnswer = {
  readonly report: PaymentReport | null
  readonly totalAmount: string | null
  readonly refundAmount: string | null
}

const body = z.strictObject({ uuid: uuidText, amount: amount.optional(), description: sentence(5, 500) })

/** Builds the body of a refund; `faults` names the invalid fields instead. Never throws. */
export function toRefundBody(request: WireRefundRequest): RequestBody {
  return requestBody(body, request)
}

const answer = z.object({ total_amount: decimal, refund_amount: decimal })

/**
 * Reads the answer to a refund: two amounts, and the payment under `payin_request` (gap sheet, section 12), or the payment alone.
 * Null if the answer contains none of them.
 */
export function readRefund(json: ExactJson): RefundAnswer | null {
  if (!isRecord(json)) return null
  const { total_amount: totalAmount, refund_amount: refundAmount } = answer.parse(json)
  const report = readPaymentReport(json['payin_request'] ?? json)
  return report === null && totalAmount === null && refundAmount === null ? null : { report, totalAmount, refundAmount }
}

import { z } from 'zod'
import type { PayoutTransactionRequest } from '../../../domain/payouts/payout-rules.ts'
import { instantToWire } from '../values/instant.ts'
import {
  amount,
  methodCode,
  methodFieldValues,
  type Notification,
  notification,
  notificationBody,
  present,
  sentence,
  type RequestBody,
  requestBody,
  boundedText,
  uuidText,
} from '../values/request-schema.ts'

/** Input for a batch of payouts (gap sheet, sections 18 and 20). */
export type WirePayoutRequest = {
  /** Upper-case currency code. */
  readonly currency: string
  readonly methodCode: string
  /** 5 to 90 characters; of a v1 payout, up to 140. */
  readonly description: string
  readonly transactions: readonly PayoutTransactionRequest[]
  readonly externalId?: string | null | undefined
  /** Null or absent: paid at once. */
  readonly scheduledAt?: Date | null | undefined
  /** Of v1 payouts alone. */
  readonly retry?: boolean | null | undefined
  readonly webhook: Notification
}

const name = z
  .string()
  .max(255)
  .regex(/^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N} ]*[\p{L}\p{M}\p{N}])?$/u)

const transaction = z.strictObject({
  first_name: name,
  last_name: name,
  email: boundedText(255),
  amount,
  external_id: boundedText(255).optional(),
  payout_method_params: methodFieldValues,
})

const creation = z.strictObject({
  payout_transaction_details: z.array(transaction).min(1),
  currency: z.string().regex(/^[A-Z]{3,4}$/),
  payout_method_name: methodCode,
  scheduled_at: z
    .date()
    .transform((instant) => instantToWire(instant))
    .optional(),
  description: sentence(5, 90),
  webhook_notification: notification,
  external_id: boundedText(255).optional(),
})

const cancellation = z.strictObject({ uuid: uuidText })

/** Builds the body of a batch; `faults` names the invalid fields instead. Never throws. */
export function toPayoutBody(request: WirePayoutRequest): RequestBody {
  return requestBody(creation, {
    payout_transaction_details: request.transactions.map(transactionBody),
    currency: request.currency,
    payout_method_name: request.methodCode,
    scheduled_at: request.scheduledAt,
    description: request.description,
    webhook_notification: notificationBody(request.webhook),
    external_id: request.externalId,
  })
}

/** Builds the body that cancels a scheduled batch (gap sheet, section 20). Never throws. */
export function toPayoutCancellationBody(uuid: string): RequestBody {
  return requestBody(cancellation, { uuid })
}

function transactionBody(request: PayoutTransactionRequest): Record<string, unknown> {
  return present({
    first_name: request.firstName,
    last_name: request.lastName,
    email: request.email,
    amount: request.amount,
    external_id: request.externalId,
    payout_method_params: present(request.methodFields),
  })
}

import { z } from 'zod'
import { type PayoutTransactionRequest, v1PayeeName, type V1PayoutNames } from '../../domain/payouts/payout-rules.ts'
import { instantToWire } from './values/readers.ts'
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
} from './values/wire-fields.ts'

/** Input for a batch of payouts (gap sheet, sections 18 and 20). */
export type WirePayoutRequest = {
  /** Upper-case currency code. */
  readonly currency: string
  readonly methodCode: string
  /** 5 to 90 characters; of a v1 payout, up to 140. */
  readonly description: string
  readonly transactions: readonly PayoutTransactionRequest[]
  readonly reference?: string | null | undefined
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

/** Builds the body of a batch; `faults` names the invalid fields instead. Never throws. */
export function toPayoutBody(request: WirePayoutRequest): RequestBody {
  return requestBody(creation, {
    payout_transaction_details: request.transactions.map(transactionBody),
    currency: request.currency,
    payout_method_name: request.methodCode,
    scheduled_at: request.scheduledAt,
    description: request.description,
    webhook_notification: notificationBody(request.webhook),
    external_id: request.reference,
  })
}

function transactionBody(request: PayoutTransactionRequest): Record<string, unknown> {
  return present({
    first_name: request.firstName,
    last_name: request.lastName,
    email: request.email,
    amount: request.amount,
    external_id: request.reference,
    payout_method_params: present(request.methodFields),
  })
}

const payee = {
  payee: z
    .string()
    .max(255)
    .regex(/^[\p{L}\p{N}'](?:[\p{L}\p{M}\p{N} ']*[\p{L}\p{M}\p{N}'])?$/u),
  address: boundedText(255).optional(),
  email: boundedText(255),
  amount,
}

/** Either a PayID or an account, never both. */
const v1Transaction = z.union([
  z.strictObject({ ...payee, payid: boundedText(255) }),
  z.strictObject({ ...payee, bsb: z.string().regex(/^\d{3}-?\d{3}$/), account_number: z.string().regex(/^\d{1,20}$/) }),
])

/** Builds the body of a v1 batch (gap sheet, section 20); `faults` names the invalid fields instead. Never throws. */
export function toV1PayoutBody(request: WirePayoutRequest, names: V1PayoutNames): RequestBody {
  return requestBody(creationOf(names), {
    [names.transactions]: request.transactions.map(v1TransactionBody),
    scheduled_at: request.scheduledAt,
    description: request.description,
    is_retry: request.retry,
    [names.externalId]: request.reference,
    [names.notification]: notificationBody(request.webhook),
  })
}

function creationOf(names: V1PayoutNames) {
  return z.strictObject({
    [names.transactions]: z.array(v1Transaction).min(1),
    scheduled_at: z
      .date()
      .transform((instant) => instantToWire(instant))
      .optional(),
    description: sentence(5, 140),
    is_retry: z.boolean().optional(),
    [names.externalId]: boundedText(255).optional(),
    [names.notification]: notification,
  })
}

function v1TransactionBody(request: PayoutTransactionRequest): Record<string, unknown> {
  return present({
    payee: v1PayeeName(request),
    email: request.email,
    amount: request.amount,
    ...request.methodFields,
  })
}

import { z } from 'zod'
import { type PayoutTransactionRequest, v1PayeeName, type V1PayoutNames } from '../../../domain/payouts/payout-rules.ts'
import { instantToWire } from '../values/instant.ts'
import {
  amount,
  boundedText,
  notification,
  notificationBody,
  present,
  type RequestBody,
  requestBody,
  sentence,
} from '../values/request-schema.ts'
import type { WirePayoutRequest } from './wire-payout-request.ts'

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
const transaction = z.union([
  z.strictObject({ ...payee, payid: boundedText(255) }),
  z.strictObject({ ...payee, bsb: z.string().regex(/^\d{3}-?\d{3}$/), account_number: z.string().regex(/^\d{1,20}$/) }),
])

/** Builds the body of a v1 batch (gap sheet, section 20); `faults` names the invalid fields instead. Never throws. */
export function toV1PayoutBody(request: WirePayoutRequest, names: V1PayoutNames): RequestBody {
  return requestBody(creationOf(names), {
    [names.transactions]: request.transactions.map(transactionBody),
    scheduled_at: request.scheduledAt,
    description: request.description,
    is_retry: request.retry,
    [names.externalId]: request.externalId,
    [names.notification]: notificationBody(request.webhook),
  })
}

function creationOf(names: V1PayoutNames) {
  return z.strictObject({
    [names.transactions]: z.array(transaction).min(1),
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

function transactionBody(request: PayoutTransactionRequest): Record<string, unknown> {
  return present({
    payee: v1PayeeName(request),
    email: request.email,
    amount: request.amount,
    ...request.methodFields,
  })
}

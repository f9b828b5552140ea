import { z } from 'zod'
import { takesOpenAmount } from '../../../domain/methods/payin-method.ts'
import { instantToWire } from '../values/instant.ts'
import {
  amount,
  methodCode,
  methodFieldValues,
  type MethodFieldValues,
  type Notification,
  notification,
  notificationBody,
  present,
  type RequestBody,
  requestBody,
  boundedText,
  uuidText,
} from '../values/request-schema.ts'

/** Input for a direct payin (gap sheet, section 9). */
export type WirePayinRequest = {
  /** Upper-case currency code. */
  readonly currency: string
  /** Plain digits; null only where the customer chooses the amount (`takesOpenAmount`). */
  readonly amount: string | null
  /** True only for an AU merchant processing AUD (docs/payments-api.md, section 1, rule 3). */
  readonly gst: boolean
  readonly customerName: string
  readonly customerEmail: string
  readonly methodCode: string
  /** The method's required fields, under the payments API's own names. */
  readonly methodFields: MethodFieldValues
  readonly description?: string | null | undefined
  readonly externalId?: string | null | undefined
  readonly expiresAt?: Date | null | undefined
  readonly webhook: Notification
}

/** How the sandbox completes a pending payin (gap sheet, section 11). */
export type PayinSimulation = {
  readonly uuid: string
  readonly status: 'completed' | 'failed'
  /** Plain digits; null for the amount of the payin. */
  readonly amount: string | null
}

const creation = z
  .strictObject({
    currency: z.string().regex(/^[A-Z]{3,4}$/),
    gst: z.boolean(),
    amount: amount.optional(),
    name: boundedText(255),
    email: boundedText(255),
    external_id: boundedText(255).optional(),
    description: boundedText(1_000).optional(),
    payin_method_name: methodCode,
    payin_method_params: methodFieldValues,
    webhook_notification: notification,
    expired_at: z
      .date()
      .transform((expiry) => `${instantToWire(expiry)}.000+0000`)
      .optional(),
  })
  .refine((body) => body.amount !== undefined || takesOpenAmount(body.payin_method_name), { path: ['amount'] })
  .refine((body) => !body.gst || body.currency === 'AUD', { path: ['gst'] })

const simulation = z.strictObject({
  uuid: uuidText,
  amount: amount.optional(),
  status: z.enum(['completed', 'failed']),
})

/** Builds the body of a direct payin; `faults` names the invalid fields instead. Never throws. */
export function toPayinBody(request: WirePayinRequest): RequestBody {
  return requestBody(creation, {
    currency: request.currency,
    gst: request.gst,
    amount: request.amount,
    name: request.customerName,
    email: request.customerEmail,
    external_id: request.externalId,
    description: request.description,
    payin_method_name: request.methodCode,
    payin_method_params: present(request.methodFields),
    webhook_notification: notificationBody(request.webhook),
    expired_at: request.expiresAt,
  })
}

/** Builds the body of a payin simulation; `faults` names the invalid fields instead. Never throws. */
export function toPayinSimulationBody(request: PayinSimulation): RequestBody {
  return requestBody(simulation, request)
}

import type { Disposition } from './payments/payment.ts'

/** A received webhook, and its effect. */
export type Delivery = {
  readonly id: string
  /** Position in the order of first arrival. */
  readonly number: number
  /** Correlation id of the URL at which it was received; null for the merchant's default URL. */
  readonly ref: string | null
  /** Payment or agreement id in the body. */
  readonly subjectId: string | null
  readonly statusRaw: string | null
  readonly disposition: Disposition
  /** Number of times that identical bytes were received. */
  readonly attempts: number
  readonly firstReceivedAt: string
  readonly lastReceivedAt: string
  /** The event that it caused; null without one. */
  readonly eventId: string | null
  /** The body without secrets and payer data, as JSON text; null if nothing of it is stored. */
  readonly body: string | null
}

/** Why an authentic delivery was not usable. */
export type QuarantineReason = 'NO_JSON_OBJECT' | 'UNREADABLE' | 'MISADDRESSED'

/** Why a delivery is not replayed. */
export type ReplayRefusal = 'ALREADY_APPLIED' | 'WITHOUT_BODY' | 'UNREADABLE' | 'MISADDRESSED'

/** Returns why a delivery is quarantined; null if it is not. If its subject could be read, it was received at the wrong URL. */
export function quarantineReason({ disposition, subjectId, body }: Omit<Delivery, 'number'>): QuarantineReason | null {
  if (disposition !== 'QUARANTINED') return null
  if (subjectId !== null) return 'MISADDRESSED'
  return body === null ? 'NO_JSON_OBJECT' : 'UNREADABLE'
}

/**
 * Returns the body with which a delivery can be decided again, or why it cannot. A delivery at the wrong URL is never replayed: only a
 * part of its body is stored, and the part that showed the error may be missing.
 */
export function replayableBody(
  delivery: Omit<Delivery, 'number'>,
): { readonly body: string } | { readonly refusal: ReplayRefusal } {
  if (delivery.disposition === 'APPLIED') return { refusal: 'ALREADY_APPLIED' }
  if (delivery.body === null) return { refusal: 'WITHOUT_BODY' }
  return quarantineReason(delivery) === 'MISADDRESSED' ? { refusal: 'MISADDRESSED' } : { body: delivery.body }
}

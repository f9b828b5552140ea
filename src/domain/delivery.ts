import type { Disposition } from './payments/payment.ts'

/** A webhook as it came in, and what became of it. */
export type Delivery = {
  readonly id: string
  /** Position in the order of first arrival. */
  readonly number: number
  /** Correlation id of the address that it came to; null for the merchant's default address. */
  readonly ref: string | null
  /** Payment or agreement id, as the body names it. */
  readonly subjectId: string | null
  readonly statusRaw: string | null
  readonly disposition: Disposition
  /** How often the same bytes came. */
  readonly attempts: number
  readonly firstReceivedAt: string
  readonly lastReceivedAt: string
  /** The event that it caused. */
  readonly eventId: string | null
  /** The body without secrets and payer data, as JSON text; null where nothing of it is kept. */
  readonly body: string | null
}

/** Why an authentic delivery could not be used. */
export type QuarantineReason = 'NO_JSON_OBJECT' | 'UNREADABLE' | 'MISADDRESSED'

/** Why a delivery is not replayed. */
export type ReplayRefusal = 'ALREADY_APPLIED' | 'WITHOUT_BODY' | 'UNREADABLE' | 'MISADDRESSED'

/** Why a delivery is quarantined; null for one that is not. One whose subject could be read came to the wrong address. */
export function quarantineReason({ disposition, subjectId, body }: Omit<Delivery, 'number'>): QuarantineReason | null {
  if (disposition !== 'QUARANTINED') return null
  if (subjectId !== null) return 'MISADDRESSED'
  return body === null ? 'NO_JSON_OBJECT' : 'UNREADABLE'
}

/**
 * The body from which a delivery can be decided anew, or why it cannot. What came to the wrong address stays out for good:
 * of its body only a part is kept, and the part that gave it away may be missing.
 */
export function replayableBody(
  delivery: Omit<Delivery, 'number'>,
): { readonly body: string } | { readonly refusal: ReplayRefusal } {
  if (delivery.disposition === 'APPLIED') return { refusal: 'ALREADY_APPLIED' }
  if (delivery.body === null) return { refusal: 'WITHOUT_BODY' }
  return quarantineReason(delivery) === 'MISADDRESSED' ? { refusal: 'MISADDRESSED' } : { body: delivery.body }
}

import type { Disposition } from './payments/payment.ts'

/** A received webhook body and its outcome. */
export type Delivery = {
  readonly id: string
  /** Position in the order of first receipt. */
  readonly number: number
  /** Correlation id in the URL; null for the merchant's default URL. */
  readonly ref: string | null
  /** Payment or agreement id in the body. */
  readonly subjectId: string | null
  readonly statusRaw: string | null
  readonly disposition: Disposition
  /** Number of times that the same bytes were received. */
  readonly attempts: number
  readonly firstReceivedAt: string
  readonly lastReceivedAt: string
  /** Whether it carried a signature, which was right; null for one that was received before this was recorded. */
  readonly signed: boolean | null
  /** Id of the key that the Authorization of its address was made with; null at the merchant's default address. */
  readonly keyId: string | null
  /** Id of the event that it caused. */
  readonly eventId: string | null
  /** The body without secrets and payer data, as JSON text; null if nothing of it is stored. */
  readonly body: string | null
  /** The headers of its first request that contain no secret, by lower-case name; null if they were not recorded. */
  readonly headers: Readonly<Record<string, string>> | null
  /** Milliseconds from the head of its first request to the transaction that stored it; null if they were not measured. */
  readonly storedAfterMs: number | null
}

/** The reason why an authentic delivery could not be used. */
export type QuarantineReason = 'NO_JSON_OBJECT' | 'UNREADABLE' | 'MISADDRESSED'

/** The reason why a delivery is not replayed. */
export type ReplayRefusal = 'ALREADY_APPLIED' | 'WITHOUT_BODY' | 'UNREADABLE' | 'MISADDRESSED'

/**
 * Returns why a delivery is quarantined; null for any other disposition. A quarantined delivery with a readable subject is MISADDRESSED.
 */
export function quarantineReason({ disposition, subjectId, body }: Omit<Delivery, 'number'>): QuarantineReason | null {
  if (disposition !== 'QUARANTINED') return null
  if (subjectId !== null) return 'MISADDRESSED'
  return body === null ? 'NO_JSON_OBJECT' : 'UNREADABLE'
}

/**
 * Returns the body from which a delivery can be decided again, or the reason why it cannot. A MISADDRESSED delivery can never be replayed:
 * only a part of its body is stored, and the part that showed the mismatch may be missing.
 */
export function replayableBody(
  delivery: Omit<Delivery, 'number'>,
): { readonly body: string } | { readonly refusal: ReplayRefusal } {
  if (delivery.disposition === 'APPLIED') return { refusal: 'ALREADY_APPLIED' }
  if (delivery.body === null) return { refusal: 'WITHOUT_BODY' }
  return quarantineReason(delivery) === 'MISADDRESSED' ? { refusal: 'MISADDRESSED' } : { body: delivery.body }
}

const SECOND_MS = 1000

/** How long after its end an unused link is read: the service itself needs a moment to notice. */
const AFTER_EXPIRY_MS = 60 * SECOND_MS

/** How long to wait when a read told nothing, or found an ended link still open. */
const TRY_AGAIN_MS = 15 * 60 * SECOND_MS

/** When the read of a link without a payment is due, in milliseconds since the epoch. */
export function readAfterExpiry(expiresAt: number): number {
  return expiresAt + AFTER_EXPIRY_MS
}

/** When to read an unused link next that was found open at an instant; both in milliseconds since the epoch. */
export function readAfterUntouched(expiresAt: number, now: number): number {
  return now < expiresAt ? readAfterExpiry(expiresAt) : readAgain(now)
}

/** When to read again after a read that told nothing, in milliseconds since the epoch. */
export function readAgain(now: number): number {
  return now + TRY_AGAIN_MS
}

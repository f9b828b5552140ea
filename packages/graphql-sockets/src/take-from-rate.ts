/** Size of the token bucket, in seconds of the rate. */
const BURST_S = 4

/**
 * Takes tokens from a bucket whose state is one number: the instant at which it is full again. The bucket holds four seconds of the
 * rate. Returns the new instant, or null if there are too few tokens. Instants are milliseconds of a monotonic clock.
 */
export function takeFromRate(fullAt: number, amount: number, perSecond: number, now: number): number | null {
  const next = Math.max(fullAt, now) + (amount * 1_000) / perSecond
  return next - now > BURST_S * 1_000 ? null : next
}

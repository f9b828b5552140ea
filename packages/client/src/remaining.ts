/**
 * Milliseconds until an instant of the server's clock, 0 when it has passed. `serverOffsetMs` is how far the server's clock
 * is ahead of this device's, as in `PaymentLinkView`.
 *
 * @example
 * const left = remaining(view.link.expiresAt, view.serverOffsetMs)
 */
export function remaining(expiresAt: string, serverOffsetMs: number, now: number = Date.now()): number {
  return Math.max(0, Date.parse(expiresAt) - (now + serverOffsetMs))
}

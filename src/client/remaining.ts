/**
 * Milliseconds until an instant by the server's clock, 0 when it is over. `serverOffsetMs` is how far the server's clock is
 * ahead of this device's, as `PaymentLinkView` tells.
 *
 * @example
 * const left = remaining(view.link.expiresAt, view.serverOffsetMs)
 */
export function remaining(expiresAt: string, serverOffsetMs: number, now: number = Date.now()): number {
  return Math.max(0, Date.parse(expiresAt) - (now + serverOffsetMs))
}

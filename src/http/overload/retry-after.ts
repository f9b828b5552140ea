/** Seconds until a refused client may retry: 1 to 3 at random, so that clients do not retry at the same time. */
export function retryAfterS(random: () => number = Math.random): number {
  return 1 + Math.floor(random() * 3)
}

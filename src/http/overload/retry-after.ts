/** Seconds after which a refused client may come again: 1 to 3, so that those who were refused together come one by one. */
export function retryAfterS(random: () => number = Math.random): number {
  return 1 + Math.floor(random() * 3)
}

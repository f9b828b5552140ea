/** Timeouts and delays, in milliseconds. */
export type Timing = {
  /** Timeout for opening a transport. Default: 8000. */
  readonly openMs: number
  /** Interval between two pings of a WebSocket. Default: 12000. */
  readonly pingMs: number
  /** Timeout for the pong after a ping. Default: 5000. */
  readonly pongMs: number
  /**
   * Silence after which a stream of server-sent events counts as lost; the server sends something every 12 seconds. Default:
   * 30000.
   */
  readonly silenceMs: number
  /** Delay before the first retry; doubled with each failed attempt, and jittered. Default: 500. */
  readonly retryMs: number
  /** Maximum delay before a retry. Default: 30000. */
  readonly retryMaxMs: number
  /** Period over which clients spread their reconnects after a server restart. Default: 250. */
  readonly restartMs: number
  /** Delay before a better transport is tried again; doubled after each failed attempt. Default: 15000. */
  readonly upgradeMs: number
}

const USUAL: Timing = {
  openMs: 8_000,
  pingMs: 12_000,
  pongMs: 5_000,
  silenceMs: 30_000,
  retryMs: 500,
  retryMaxMs: 30_000,
  restartMs: 250,
  upgradeMs: 15_000,
}

export function timingOf(given: Partial<Timing> | undefined): Timing {
  return { ...USUAL, ...given }
}

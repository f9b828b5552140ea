/** How long things may take, in milliseconds. */
export type Timing = {
  /** Until a transport has opened. Default: 8000. */
  readonly openMs: number
  /** Between two pings of a socket. Default: 12000. */
  readonly pingMs: number
  /** Until a ping is answered. Default: 5000. */
  readonly pongMs: number
  /** Silence after which server-sent events are given up; the server says something every 12 seconds. Default: 30000. */
  readonly silenceMs: number
  /** Before the first try again; doubled with each one that fails, and jittered. Default: 500. */
  readonly retryMs: number
  /** Before a try again at most. Default: 30000. */
  readonly retryMaxMs: number
  /** Within which clients of a server that restarts come back. Default: 250. */
  readonly restartMs: number
  /** Before a better transport is tried again; doubled each time that it cannot be opened. Default: 15000. */
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

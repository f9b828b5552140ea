import type { Lease } from './lease-store.ts'

/** The rate at which each site is read by all processes together. Instants are milliseconds since the epoch by the database's clock. */
export type PaceStore = {
  /** Takes the next slot of a site for one read. Rejects with `LeaseLostError` if there is a lease and it is not the current one. */
  take(site: string, request: SlotRequest): Promise<ReadSlot>
  /** Gives a slot back because its read was not sent. A slot that another one follows is lost. */
  release(site: string, at: number): Promise<void>
  /** Records that the payments API has throttled a read, and for how long it asked for a pause: all processes slow down. */
  throttle(site: string, throttled: ThrottledRead): Promise<void>
}

export type SlotRequest = {
  readonly now: number
  /** Full rate of the site, in reads per second. */
  readonly perSecond: number
  /** Reads that were answered since the last request of this process: they raise the rate. */
  readonly answers: number
  /** A slot that is further ahead, in milliseconds, is left to others. */
  readonly aheadMs: number
  /** The lease of a planned read; null for a user's refresh. */
  readonly lease: Lease | null
}

export type ReadSlot = {
  /** Whether the slot was taken. It is not during a pause. */
  readonly taken: boolean
  /** Instant of the slot, or of the earliest one. */
  readonly at: number
  /** The rate, in ten-thousandths of the full rate. */
  readonly share: number
  /** End of the pause that the payments API asked for; in the past if there is none. */
  readonly closedUntil: number
}

export type ThrottledRead = {
  /** Instant at which the read was sent. */
  readonly sentAt: number
  readonly now: number
  /** Null if the payments API named no time. */
  readonly retryAfterMs: number | null
}

/** Name of a task that only one process may do at a time. */
export type LeaseName = 'reader'

/**
 * A lease that a process was given. What the process does under its lease carries it, and the store refuses it with a `LeaseLostError`
 * once another process has the lease, however late the first one notices.
 */
export type Lease = {
  readonly name: LeaseName
  readonly owner: string
  /** Fencing number: rises each time the lease changes hands. */
  readonly fence: number
}

export type LeaseStore = {
  /**
   * Acquires or renews a lease until an instant. Both instants are of the database's clock (`Store.now`), which all processes share. Returns
   * null if another owner holds it. The lease of another owner is taken over once it has expired by `now`.
   */
  take(name: LeaseName, owner: string, times: { readonly now: Date; readonly until: Date }): Promise<Lease | null>
  /** Returns until when a lease is held, by the database's clock; null if nobody holds it at `now`. */
  heldUntil(name: LeaseName, now: Date): Promise<Date | null>
  /** Releases a lease before it expires. Does nothing if another owner holds it. */
  release(lease: Lease): Promise<void>
}

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
  /** Instant of the last slot of this process whose read was answered; 0 before the first. */
  readonly answeredAt: number
  /** A slot that is further ahead, in milliseconds, is left to others. */
  readonly aheadMs: number
  /** The lease of a planned read; null for a user's refresh. */
  readonly lease: Lease | null
}

export type ReadSlot = {
  /** Whether the slot was taken. During a pause it is only for a user's refresh. */
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

import type { ReadSlot, SlotRequest, ThrottledRead } from '../domain/reads/read-pace.ts'

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
  /**
   * Takes the next slot of a site for one read. A planned read has a lease: then it rejects with `LeaseLostError` if that is not the current
   * one. A user's refresh has none.
   */
  take(site: string, request: Omit<SlotRequest, 'isPersonal'>, lease: Lease | null): Promise<ReadSlot>
  /** Records that the payments API has throttled a read, and for how long it asked for a pause: all processes slow down. */
  throttle(site: string, throttled: ThrottledRead): Promise<void>
}

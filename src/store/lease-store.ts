/** Name of a task that only one process may do at a time. */
export type LeaseName = 'reader'

export type LeaseStore = {
  /**
   * Acquires or renews a lease until an instant. Returns whether this owner holds it. The lease of another owner is taken over once it
   * has expired by `now`.
   */
  take(name: LeaseName, owner: string, times: { readonly now: Date; readonly until: Date }): Promise<boolean>
  /** Releases a lease before it expires. Does nothing if another owner holds it. */
  release(name: LeaseName, owner: string): Promise<void>
}

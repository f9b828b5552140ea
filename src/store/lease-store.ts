/** What only one process may do at a time, by name. */
export type LeaseName = 'reader'

export type LeaseStore = {
  /**
   * Takes a lease until an instant, or renews it: true when this owner has it. One that another owner holds is taken over
   * once it has expired by this owner's clock.
   */
  take(name: LeaseName, owner: string, times: { readonly now: Date; readonly until: Date }): Promise<boolean>
  /** Releases a lease, so that another owner need not wait for its end. Does nothing if another owner holds it. */
  release(name: LeaseName, owner: string): Promise<void>
}

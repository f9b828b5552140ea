import type { EventLog, Store } from './store.ts'

/** Where the log went on on another server. */
export type LogBranches = {
  /** See `Store.branches`. */
  readonly positions: Store['branches']
  readonly onBranch: EventLog['onBranch']
}

/** Those of a log that never does. */
export const NO_BRANCHES: LogBranches = { positions: () => [], onBranch: () => () => {} }

/** Where the program is made to fail. */
export type Failpoint =
  | 'a rejection'
  | 'a rejection with a text'
  | 'a timer'
  | 'an event'
  | 'a listener of the log'
  | 'the tail of the log'
  | 'a resolver'
  | 'a resolver of an item'

/** Part of every error that is thrown; it must not appear in any answer or log line. */
export const CANARY = 'ada-canary@example.test'

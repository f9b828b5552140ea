/**
 * A command that goes out to the payments API at most once. SENT has an owner and a lease: when the lease ends without an
 * answer, nobody knows whether the payments API did it, and the command is UNKNOWN until a trace of it settles it, or another
 * attempt is made. With that the earlier attempt is abandoned: only the latest one can still give the command its result,
 * and a link that an abandoned one has made is an orphan (`orphan-link.ts`). An agreement is the same whichever attempt
 * made it.
 */
export type CommandState = 'SENT' | 'SETTLED' | 'REJECTED' | 'UNKNOWN'

export type Command = {
  readonly id: string
  readonly mutation: string
  /** The caller's idempotency key, unique for each caller and mutation. */
  readonly key: string
  /** Whose key it is; empty for a command that was recorded before keys belonged to a caller. */
  readonly keyScope: string
  /** Keyed digest of the input, to tell a repeat from another use of the same key. */
  readonly fingerprint: string
  readonly state: CommandState
  /** 1, 2, 3 ...: how often the payments API was asked, each time under a correlation id of its own. */
  readonly attempt: number
  /** Correlation id of the latest attempt. */
  readonly ref: string
  /** The process that holds the lease. */
  readonly owner: string
  /** Milliseconds since the epoch. */
  readonly leaseUntil: number
  /** Instant of the latest attempt, milliseconds since the epoch. */
  readonly sentAt: number
  /**
   * Deliveries and answers that were on record of its payment or agreement at the latest attempt; null for a command that
   * concerns none. The command's own answer counts only while there are no more.
   */
  readonly subjectDeliveries: number | null
  /** Version of its payment or agreement at the latest attempt; null where it concerns none. */
  readonly subjectVersion: number | null
  /**
   * What a settled command made (an id), or the refusal that a rejected one met; both as JSON. Of an open one, what it
   * will have made where that is known before, as a refund's payment is; otherwise null.
   */
  readonly result: unknown
}

/**
 * A command that is sent to the payments API at most once. SENT has an owner and a lease. If the lease expires without a response, the
 * outcome is unknown and the command is UNKNOWN, until its outcome is found or another attempt is made. Then the earlier attempt is
 * abandoned: only the latest attempt can settle the command, and a link that an abandoned attempt created is orphaned (`orphan-link.ts`).
 * An agreement is the same for all attempts.
 */
export type CommandState = 'SENT' | 'SETTLED' | 'REJECTED' | 'UNKNOWN'

export type Command = {
  readonly id: string
  readonly mutation: string
  /** The caller's idempotency key, unique for each caller and mutation. */
  readonly key: string
  /** The caller that the key belongs to; empty for a command that was recorded before keys belonged to callers. */
  readonly keyScope: string
  /** Keyed digest of the input, to detect another use of the same key. */
  readonly fingerprint: string
  readonly state: CommandState
  /** Number of requests to the payments API so far: 1, 2, 3 … Each has its own correlation id. */
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
   * Number of deliveries and responses recorded for its payment or agreement at the latest attempt; null for a command without one. The
   * command's own response is applied only if there are no more since.
   */
  readonly subjectDeliveries: number | null
  /** Version of its payment or agreement at the latest attempt; null for a command without one. */
  readonly subjectVersion: number | null
  /**
   * As JSON: the id that a settled command created, or the refusal of a rejected one. For an open command its expected result if that is
   * known in advance, such as the payment of a refund; otherwise null.
   */
  readonly result: unknown
}

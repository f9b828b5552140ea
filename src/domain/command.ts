/**
 * A command for the payments API. Each attempt is sent at most once. A SENT command has an owner and a lease. If the lease expires without
 * a response, the effect at the payments API is uncertain, and the command is UNKNOWN until a trace of its effect settles it, or another
 * attempt is made. The earlier attempt is then abandoned: only the latest attempt is expected to give the command its result, and a link
 * that an abandoned one has created is an orphan (`attribution.ts`). An agreement is the same whichever attempt created it. ABANDONED: an operator
 * has found that it was not carried out, so that a repeat makes another attempt.
 */
export type CommandState = 'SENT' | 'SETTLED' | 'REJECTED' | 'UNKNOWN' | 'ABANDONED'

export type Command = {
  readonly id: string
  readonly mutation: string
  /** The caller's idempotency key, unique for each caller and mutation. */
  readonly key: string
  /** The caller that owns the key; empty for a command that was recorded before keys belonged to a caller. */
  readonly keyScope: string
  /** Subject or client of the caller's token; null if it names neither. */
  readonly requestedBy: string | null
  /** Keyed digest of the input. It distinguishes a repeat from another use of the same key. */
  readonly fingerprint: string
  readonly state: CommandState
  /** 1, 2, 3 ...: number of attempts, each sent with its own correlation id. */
  readonly attempt: number
  /** Correlation id of the latest attempt. */
  readonly ref: string
  /** The process that holds the lease. */
  readonly owner: string
  /** Milliseconds since the epoch. */
  readonly leaseUntil: number
  /** Instant of the latest attempt, milliseconds since the epoch. */
  readonly sentAt: number
  /** Id of its payment, agreement or payout; null for a command that creates something. */
  readonly subjectId: string | null
  /**
   * Number of deliveries and responses that were recorded for its payment or agreement when the command was recorded; null for a command
   * without such a subject. The command's own response is reliable only while the number is the same.
   */
  readonly subjectDeliveries: number | null
  /** Version of its payment or agreement when the command was recorded; null for a command without such a subject. */
  readonly subjectVersion: number | null
  /**
   * The id that a settled command created, or the refusal that a rejected command received, both as JSON. For an open command, the subject
   * if it is known before, such as the payment of a refund; otherwise null.
   */
  readonly result: unknown
}

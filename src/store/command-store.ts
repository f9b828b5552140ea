import type { Agreement } from '../domain/agreements/agreement.ts'
import type { Command } from '../domain/command.ts'
import type { GatewayPaymentFacts, UnansweredGatewayCreation } from '../domain/gateway/gateway-payment.ts'
import type { Payout } from '../domain/payouts/payout.ts'

/** The kind of object that a correlation id was made for: it determines the webhook URL, and what its callbacks may be about. */
export type RefKind = 'link' | 'payin' | 'agreement' | 'payout' | 'gateway-payment' | 'identity-check'

/** Queries of commands that are sent to the payments API, and their bulk changes. */
export type CommandQueries = {
  /** Returns the command with a caller's key. */
  find(key: CommandKey): Promise<Command | null>
  /** Returns whether a command with the same mutation and key of another caller is open or settled. */
  hasNamesake(command: Command): Promise<boolean>
  /**
   * Returns whether another command with the same mutation and subject may have had an effect at or after an instant (milliseconds
   * since the epoch): it is open, or it is settled and was sent since then.
   */
  hasRival(command: Command, since: number): Promise<boolean>
  /** Returns creations of gateway payments whose outcome is unknown, and whose payment no callback has reported, oldest first. */
  unansweredGatewayCreations(limit: number): Promise<UnansweredGatewayCreation[]>
  /** Returns the agreement of a command without a response, once a callback has reported it; for the `ref` of any attempt. */
  traceAgreement(ref: string): Promise<Agreement | null>
  /** The same for the payout of a command. */
  tracePayout(ref: string): Promise<Payout | null>
  /** Returns a payment that was paid through any attempt of the command with this `ref`; null if there is none. */
  paidThrough(ref: string): Promise<string | null>
  /** Marks every SENT command whose lease ended before `now` as UNKNOWN. Returns their number. */
  expireLeases(now: number): Promise<number>
  /**
   * Deletes the SETTLED, REJECTED and ABANDONED commands whose last lease ended before an instant, so that their keys can be used again. What they
   * created stays, and so do their correlation ids. Returns their number.
   */
  purge(before: Date): Promise<number>
}

/** Whether an operator's record was taken. */
export type GatewayCreationSettled =
  | { readonly kind: 'done' }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'state-conflict'; readonly statusRaw: string }

/** An idempotency key. It belongs to a caller and a mutation. */
export type CommandKey = Pick<Command, 'mutation' | 'key' | 'keyScope'>

/** What a refund was requested with. `amount` is plain digits; null for the whole remaining amount. */
export type RefundTerms = { readonly amount: string | null; readonly reason: string }

/** The payment, agreement or payout that a command changes. */
export type CommandSubject =
  | { readonly paymentId: string }
  | { readonly agreementId: string }
  | { readonly payoutId: string }

/** A command that is about to be sent. The key of an agreement's creation is its clientTransactionId. */
export type NewCommand = Omit<Command, 'state' | 'result' | 'attempt' | 'subjectDeliveries' | 'subjectVersion'> & {
  /** Null if the request names no webhook URL; then the inbox does not know the correlation id. */
  readonly refKind: RefKind | null
  /** What the command changes, which is also its result. */
  readonly subject?: CommandSubject | undefined
  /** What a gateway payment is requested with; recorded with the attempt. */
  readonly requested?: GatewayPaymentFacts | undefined
  /** The owner of a requested agreement; recorded with the attempt. */
  readonly ownerId?: string | null | undefined
  /** The current span; recorded with the attempt. */
  readonly traceparent?: string | null
  /** Id of the site whose credentials are used. */
  readonly site: string
}

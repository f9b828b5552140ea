import type { AgreementReport } from '../domain/agreements/agreement-report.ts'
import type { Agreement } from '../domain/agreements/agreement.ts'
import type { Command } from '../domain/command.ts'
import type { GatewayPaymentFacts, UnansweredGatewayCreation } from '../domain/gateway/gateway-payment.ts'
import type { DirectPayin } from '../domain/payments/direct-payin.ts'
import type { PaymentLink } from '../domain/payments/payment-link.ts'
import type { PaymentReport } from '../domain/payments/payment-report.ts'
import type { OrderName, Payment } from '../domain/payments/payment.ts'
import type { PayoutReport } from '../domain/payouts/payout-report.ts'
import type { Payout } from '../domain/payouts/payout.ts'

/** The kind of object that a correlation id was made for: it determines the webhook URL, and what its callbacks may be about. */
export type RefKind = 'link' | 'payin' | 'agreement' | 'payout' | 'gateway-payment' | 'identity-check'

/**
 * Commands that are sent to the payments API. Every `settle…` completes a command in one transaction with what it created; repeating it
 * with the same outcome changes nothing. Each rejects with `StoreConflictError` if the command is unknown or has another outcome, or if
 * the payments API answered with an id that belongs to another object.
 */
export type CommandStore = {
  /** Returns the command with a caller's key. */
  find(key: CommandKey): Promise<Command | null>
  /** Returns whether a command with the same mutation and key of another caller is open or settled. */
  hasNamesake(command: Command): Promise<boolean>
  /**
   * Records a command that is about to be sent. Returns it, or the same caller's earlier command with this key; then `fresh` is false
   * and nothing was changed.
   */
  begin(command: NewCommand): Promise<{ command: Command; fresh: boolean }>
  /** Starts another attempt of a command under a new correlation id. Returns false if it is no longer in the given state, by default UNKNOWN. */
  retry(
    id: string,
    attempt: { ref: string; owner: string; leaseUntil: number; sentAt: number },
    from?: 'UNKNOWN' | 'ABANDONED',
  ): Promise<boolean>
  /** Deletes a command that certainly had no effect at the payments API. The correlation ids of its attempts stay known. */
  forget(id: string): Promise<void>
  reject(id: string, refusal: unknown): Promise<void>
  markUnknown(id: string): Promise<void>
  /**
   * Returns whether another command with the same mutation and subject may have had an effect at or after an instant (milliseconds
   * since the epoch): it is open, or it is settled and was sent since then.
   */
  hasRival(command: Command, since: number): Promise<boolean>
  /** Completes a command with a JSON result. */
  settle(id: string, result: unknown): Promise<void>
  /**
   * Completes a command with the payout it created: result `{ payoutId }`. Facts from earlier callbacks are kept; only missing ones are
   * added. `ref` may be that of any attempt.
   */
  settleWithPayout(id: string, made: { ref: string; site: string }, report: PayoutReport, at: Date): Promise<Payout>
  /**
   * Completes a command whose cancellation of a payout was accepted: result `{ payoutId }`. The state that was read after it is applied
   * like that of a read. If a callback came meanwhile, the payout is provisional and a read is due now. Null if the payout is not recorded.
   */
  settleWithPayoutCancellation(id: string, payoutId: string, report: PayoutReport, at: Date): Promise<Payout | null>
  /**
   * Completes a command with the gateway payment it started, and records that payment. What earlier callbacks reported is kept. The result is
   * given, because it contains more than the record.
   */
  settleWithGatewayPayment(
    id: string,
    made: { ref: string; result: { readonly paymentId: string } },
    at: Date,
  ): Promise<void>
  /**
   * Records what an operator has found out about a creation without an answer: the id of the payment that it made, or null if it made none; then
   * a repeat of its key makes another attempt. Idempotent for the same outcome. A conflict if it has another outcome, is still running, or
   * another payment is known.
   */
  settleGatewayCreation(operationId: string, paymentId: string | null, at: Date): Promise<GatewayCreationSettled>
  /** Returns creations of gateway payments whose outcome is unknown, and whose payment no callback has reported, oldest first. */
  unansweredGatewayCreations(limit: number): Promise<UnansweredGatewayCreation[]>
  /**
   * Completes a command with the link it created: stores the link, its LINK_CREATED event and the result `{ linkId }`. A payment
   * through the link that was recorded earlier is assigned to it. Rejects with `StoreConflictError` if a later attempt was made: then the
   * link is an orphan.
   */
  settleWithLink(id: string, link: PaymentLink, at: Date): Promise<void>
  /**
   * Completes a command with the payment it created without a link: result `{ paymentId }`. Facts from earlier webhooks are kept; only
   * missing ones are added. Returns the payment.
   */
  settleWithPayin(id: string, payin: DirectPayin, report: PaymentReport, at: Date): Promise<Payment>
  /** Records that several payments of an order are expected, such as instalments: none is a duplicate from now on. */
  expectSeveral(order: OrderName, at: Date): Promise<void>
  /** Resolves a duplicate payment, because an operator keeps both. Idempotent. Returns the payment; null if it never was a duplicate. */
  dismissDuplicate(paymentId: string, at: Date): Promise<Payment | null>
  /**
   * Completes a command about a payment: result `{ paymentId }`. Its refund becomes part of the payment. The report of the response is
   * applied like that of a read. If it is null or unusable, or a webhook came meanwhile, a read of the payment is due now. Returns the
   * payment, or null if it is not recorded.
   */
  settleWithPayment(
    id: string,
    about: { readonly paymentId: string; readonly refund?: RefundTerms },
    report: PaymentReport | null,
    at: Date,
  ): Promise<Payment | null>
  /**
   * Completes a command with the agreement it created: result `{ agreementId }`. Facts from earlier callbacks are kept; only missing
   * ones are added. `ref` may be that of any attempt.
   */
  settleWithAgreement(
    id: string,
    made: { ref: string; site: string },
    report: AgreementReport,
    at: Date,
  ): Promise<Agreement>
  /**
   * Completes a command that amended an agreement or changed its status: result `{ agreementId }`. The response is applied like that
   * of a read. If a callback came meanwhile, the agreement is provisional and a read is due now.
   */
  settleWithAgreementChange(id: string, agreementId: string, report: AgreementReport, at: Date): Promise<Agreement>
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
  /** Id of the site whose credentials are used. */
  readonly site: string
}

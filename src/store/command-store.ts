import type { AgreementReport } from '../domain/agreements/agreement-report.ts'
import type { Agreement } from '../domain/agreements/agreement.ts'
import type { Command } from '../domain/command.ts'
import type { DirectPayin } from '../domain/payments/direct-payin.ts'
import type { PaymentLink } from '../domain/payments/payment-link.ts'
import type { PaymentReport } from '../domain/payments/payment-report.ts'
import type { Payment } from '../domain/payments/payment.ts'

/** What a correlation id was made for: it tells at which of our addresses, and about what, the payments API may call back. */
export type RefKind = 'link' | 'payin' | 'agreement' | 'payout' | 'gateway-payment'

/**
 * The commands that go out to the payments API. Every `settle…` ends a command in one transaction with what it made; a second
 * time with the same outcome changes nothing. Each rejects with `StoreConflictError` for a command that is not on record
 * or has ended otherwise, and where the payments API has given what belongs to something else.
 */
export type CommandStore = {
  /** The command that holds a caller's key; else the one that was recorded under this key before keys belonged to a caller. */
  find(key: CommandKey): Promise<Command | null>
  /** Assigns an unscoped command to a caller. Returns false if it is no longer unscoped. */
  adopt(id: string, keyScope: string): Promise<boolean>
  /** Whether a command of the same mutation and key, but of another caller, is open or settled. */
  hasNamesake(command: Command): Promise<boolean>
  /**
   * Records that the payments API is about to be asked. Gives the command as recorded, or the one of the same caller that holds the
   * key: then `fresh` is false and nothing was changed.
   */
  begin(command: NewCommand): Promise<{ command: Command; fresh: boolean }>
  /** Takes an UNKNOWN command up again under a new correlation id. False when it was not UNKNOWN any more. */
  retry(id: string, attempt: { ref: string; owner: string; leaseUntil: number; sentAt: number }): Promise<boolean>
  /** Forgets a command of which it is certain that the payments API did nothing. The correlation ids of its attempts stay known. */
  forget(id: string): Promise<void>
  reject(id: string, refusal: unknown): Promise<void>
  markUnknown(id: string): Promise<void>
  /**
   * Whether another command of the same kind with the same expected result may have had an effect at an instant
   * (milliseconds since the epoch) or later: it is open, or was settled and sent since then.
   */
  hasRival(command: Command, since: number): Promise<boolean>
  /** Ends a command with a plain result, as JSON. */
  settle(id: string, result: unknown): Promise<void>
  /** Ends a command with the payout it made: result `{ payoutId }`, and the site that pays it. */
  settleWithPayout(id: string, payout: { readonly id: string; readonly site: string }): Promise<void>
  /**
   * Ends a command with the link it made: the link, its LINK_CREATED event and the command's result `{ linkId }`.
   * A payment that came in through the link before is taken over.
   */
  settleWithLink(id: string, link: PaymentLink, at: Date): Promise<void>
  /**
   * Ends a command with the payment it made without a link: result `{ paymentId }`. What webhooks have told of it before
   * stays, and only what they left out is filled in. Gives the payment.
   */
  settleWithPayin(id: string, payin: DirectPayin, report: PaymentReport, at: Date): Promise<Payment>
  /**
   * Ends a command about a payment, such as a refund: result `{ paymentId }`. The answer's report counts as a read does;
   * one that tells nothing, or was overtaken by a webhook, has the payment read now instead, and so has null.
   * Gives the payment; null when it is not on record.
   */
  settleWithPayment(id: string, paymentId: string, report: PaymentReport | null, at: Date): Promise<Payment | null>
  /**
   * Ends a command with the agreement it made: result `{ agreementId }`. What callbacks have told of it before stays, and
   * only what they left out is filled in. `ref` may be that of any attempt.
   */
  settleWithAgreement(
    id: string,
    made: { ref: string; site: string },
    report: AgreementReport,
    at: Date,
  ): Promise<Agreement>
  /**
   * Ends a command that amended an agreement or changed its status: result `{ agreementId }`. The answer counts as a read
   * does; where a callback has overtaken it the agreement is provisional, and read now.
   */
  settleWithAgreementChange(id: string, agreementId: string, report: AgreementReport, at: Date): Promise<Agreement>
  /** The agreement that a command made whose answer never came, once a callback has told of it. Any attempt's `ref` will do. */
  traceAgreement(ref: string): Promise<Agreement | null>
  /** A payment that was paid at the address of any attempt of the command that was given this `ref`; null when none was. */
  paidThrough(ref: string): Promise<string | null>
  /** Turns every SENT command whose lease ended before `now` into UNKNOWN. Gives how many. */
  expireLeases(now: number): Promise<number>
  /**
   * Forgets the SETTLED and REJECTED commands of which the last attempt was made before an instant: their keys are free
   * again. What they made stays, and so do their correlation ids. Gives how many.
   */
  purge(before: Date): Promise<number>
}

/** An idempotency key: it belongs to a caller and to a mutation. */
export type CommandKey = Pick<Command, 'mutation' | 'key' | 'keyScope'>

/** The payment or agreement that a command changes. */
export type CommandSubject = { readonly paymentId: string } | { readonly agreementId: string }

/** A command that is about to be sent. One that asks for an agreement has the agreement's clientTransactionId as its key. */
export type NewCommand = Omit<Command, 'state' | 'result' | 'attempt' | 'subjectDeliveries' | 'subjectVersion'> & {
  /** Null where no address of ours is given to the payments API: then the correlation id is not known to the inbox. */
  readonly refKind: RefKind | null
  /** The payment or agreement that it changes, which is also its result. */
  readonly subject?: CommandSubject | undefined
  /** Id of the credentials that the payments API is asked with. */
  readonly site: string
}

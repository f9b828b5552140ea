import { describeFailure } from './failures/describe-failure.ts'
import { type NextActionKind } from './failures/failure-codes.ts'
import { textsFor } from './failures/failure-messages.ts'
import { linkState, type PaymentLink } from './payment-link.ts'
import { PAID_RANK, type PaymentStatus } from './payment-report.ts'
import type { Payment } from './payment.ts'

export type NextAction = {
  readonly kind: NextActionKind
  /** URL for the action; null if it needs none. */
  readonly url: string | null
  /** ISO 8601 instant in UTC before which the action is of no use; null if it is possible now. */
  readonly notBefore: string | null
}

type Situation = { readonly payment: Payment; readonly link: PaymentLink | null; readonly now: Date }

/**
 * Returns the next action of the customer for a payment; `link` is the link through which it was made. Null if nothing remains to be done:
 * the money has arrived or was returned, or another payment through the same link has replaced this one. The result is the same for every
 * caller, so it never depends on a cause that only some callers may see (docs/payments-api.md, sections 3.2 and 7.2).
 */
export function nextAction(payment: Payment, link: PaymentLink | null, now: Date): NextAction | null {
  const settled = payment.rank >= PAID_RANK
  if (!settled && isReplaced(payment, link)) return null
  if (payment.status === null) return settled ? null : WAIT
  const action = ACTIONS[payment.status]
  return typeof action === 'function' ? action({ payment, link, now }) : action
}

/** Returns the label of an action, e.g. for a button. `locale` is a BCP 47 tag; English is used for a language without texts. */
export function nextActionLabel(kind: NextActionKind, locale: string | null): string {
  return textsFor(locale).nextActions[kind]
}

const WAIT = plain('WAIT')
const START_AGAIN = plain('START_AGAIN')
const CONTACT_SUPPORT = plain('CONTACT_SUPPORT')

const ACTIONS: Readonly<Record<PaymentStatus, NextAction | null | ((situation: Situation) => NextAction)>> = {
  pending: proceed,
  authorised: WAIT,
  waiting: WAIT,
  received: null,
  expired: START_AGAIN,
  return_pending: WAIT,
  return_expired: null,
  partially_refunded: null,
  return_received: null,
  return_rejected: null,
  failed: tryAgain,
  in_dispute: CONTACT_SUPPORT,
  dispute_lost: null,
}

/**
 * For a pending payment on an expired link the customer waits and does not start again: money may be in transit, and the payments API soon
 * reports whether the payment has expired. The same holds for a payment without a link, for which the customer follows its instructions.
 */
function proceed({ payment, link, now }: Situation): NextAction {
  const { threeDsUrl } = payment.details
  if (threeDsUrl !== null) return { kind: 'COMPLETE_3DS', url: threeDsUrl, notBefore: null }
  return link !== null && takesPayments(link, now) ? openCheckout(link, null) : WAIT
}

function tryAgain({ payment, link, now }: Situation): NextAction {
  const { retry, retryNotBefore } = describeFailure({
    codeRaw: payment.details.failureCode ?? '',
    failedAt: payment.updatedAt,
    maySeeRisk: false,
  })
  if (retry === 'DO_NOT_RETRY') return CONTACT_SUPPORT
  const notBefore = retryNotBefore !== null && Date.parse(retryNotBefore) > now.getTime() ? retryNotBefore : null
  // A link's amount cannot be changed.
  const wantsOtherAmount = retry === 'LOWER_AMOUNT' || retry === 'HIGHER_AMOUNT'
  const opensAt = notBefore === null ? now : new Date(notBefore)
  return link !== null && !wantsOtherAmount && takesPayments(link, opensAt)
    ? openCheckout(link, notBefore)
    : { ...START_AGAIN, notBefore }
}

/** After a failure the customer may retry on the same page, so only the expiry of the link counts. */
function takesPayments(link: PaymentLink, at: Date): boolean {
  return linkState(link, null, at) === 'OPEN'
}

function isReplaced(payment: Payment, link: PaymentLink | null): boolean {
  return link !== null && link.paymentId !== null && link.paymentId !== payment.id
}

function openCheckout(link: PaymentLink, notBefore: string | null): NextAction {
  return { kind: 'OPEN_CHECKOUT', url: link.checkoutUrl, notBefore }
}

function plain(kind: NextActionKind): NextAction {
  return { kind, url: null, notBefore: null }
}

import { describeFailure } from './failures/describe-failure.ts'
import { textsFor } from './failures/messages/languages.ts'
import type { NextActionKind } from './failures/next-action-kind.ts'
import { linkState, type PaymentLink } from './payment-link.ts'
import { PAID_RANK, type PaymentStatus } from './payment-status.ts'
import type { Payment } from './payment.ts'

export type NextAction = {
  readonly kind: NextActionKind
  /** Where the customer goes for it. */
  readonly url: string | null
  /** ISO 8601 instant in UTC before which it is of no use; null where that is now. */
  readonly notBefore: string | null
}

type Situation = { readonly payment: Payment; readonly link: PaymentLink | null; readonly now: Date }

/**
 * What the customer does now about a payment, `link` being the one it was made through; null when nothing is left to do:
 * the money is here, or it went back, or another payment through the same link has taken this one's place. The answer
 * is the same for every reader, so it never depends on a cause that only some may see (docs/payments-api.md, sections 3.2
 * and 7.2).
 */
export function nextAction(payment: Payment, link: PaymentLink | null, now: Date): NextAction | null {
  const settled = payment.rank >= PAID_RANK
  if (!settled && isReplaced(payment, link)) return null
  if (payment.status === null) return settled ? null : WAIT
  const action = ACTIONS[payment.status]
  return typeof action === 'function' ? action({ payment, link, now }) : action
}

/** The words for an action, as on a button. `locale` is a BCP 47 tag; English answers for a language that is not there. */
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
 * A pending payment on a link that has run out is waited for, not started again: money may be under way, and the payments API
 * says soon whether the payment has expired. So is one without a link, whose customer follows its instructions.
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

/** After a failure the customer may try again on the same page, so only the link's own end counts. */
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

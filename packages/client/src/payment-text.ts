import { formatAmount } from './amount.ts'
import type { PaymentsClientError } from './client-errors.ts'
import type { Connection } from './connection/connection-attempt.ts'
import { TEXTS, type Texts } from './texts.ts'
import type { LinkDetails, PaymentDetails } from './updates.ts'

/** What is known of a payment: the view of a store or a hook, or an update of a watch. */
export type KnownPayment = {
  readonly link: LinkDetails | null
  readonly payment: PaymentDetails | null
  readonly connection?: Connection
  readonly error?: PaymentsClientError | null
}

/** A payment as the payer reads it, in one language. */
export type PaymentText = {
  readonly tone: 'waiting' | 'success' | 'failure'
  /** The state in one sentence. */
  readonly headline: string
  /** What helps, or what is awaited; empty if there is nothing to say. */
  readonly hint: string
  /** The amount; empty while it is unknown. */
  readonly amount: string
  /** Until when the payer can pay; empty if they cannot. */
  readonly deadline: string
  /** What the payer can do: open a page, or with null as URL try again to load the payment. Null if there is nothing to do. */
  readonly action: { readonly label: string; readonly url: string | null } | null
  /** BCP 47 tag of the texts. */
  readonly language: string
}

/** The languages in which the graph words causes of failures. */
const GRAPH_LANGUAGES: ReadonlySet<string> = new Set(['en', 'ja'])

/**
 * Returns a payment as the payer reads it: en, ja, ko, zh (simplified), vi, th, id, ms, es, pt, fr; English for any other locale.
 *
 * @example
 * const { headline, action } = paymentText(usePaymentLink(id, { url, statusToken, locale: 'ja' }), 'ja')
 */
export function paymentText(known: KnownPayment, locale = 'en'): PaymentText {
  const { link, payment, connection, error = null } = known
  const own = locale.toLowerCase().split('-')[0] ?? ''
  const isKnown = Object.hasOwn(TEXTS, own)
  const language = isKnown ? own : 'en'
  const texts = TEXTS[language] as Texts
  const tag = isKnown ? locale : 'en'
  const amount = payment?.amount ?? link?.requestedAmount ?? null
  const plain = {
    hint: '',
    deadline: '',
    action: null,
    language: tag,
    amount: amount === null ? '' : formatAmount(amount, tag),
  }
  if (error !== null) {
    const isUnknown = error.code === 'NOT_FOUND'
    const action = error.retryable ? { label: texts.retry, url: null } : null
    return { ...plain, tone: 'failure', headline: isUnknown ? texts.unknown : texts.unavailable, action }
  }
  const lost = connection === 'reconnecting' || connection === 'offline' ? texts.interrupted : ''
  if (link === null && payment === null) return { ...plain, tone: 'waiting', headline: texts.loading, hint: lost }
  const state = stateOf(known)
  const url = pageOf(known)
  const action = url === null ? null : { label: texts.pay.replace('{amount}', plain.amount), url }
  const isFailure = state === 'failed' || state === 'expired'
  return {
    ...plain,
    tone: isFailure ? 'failure' : state === 'paid' || state === 'refunded' ? 'success' : 'waiting',
    headline: texts[state],
    hint: lost || (state === 'failed' ? reasonOf(payment, texts, language) : ''),
    deadline: action === null || link === null ? '' : texts.payBy.replace('{time}', timeOf(link.expiresAt, tag)),
    action,
  }
}

type Shown = 'ready' | 'processing' | 'paid' | 'failed' | 'expired' | 'refunding' | 'refunded' | 'disputed'

const PHASES: Readonly<Record<PaymentDetails['phase'], Shown>> = {
  IN_PROGRESS: 'processing',
  SUCCEEDED: 'paid',
  FAILED: 'failed',
  EXPIRED: 'expired',
  REFUNDING: 'refunding',
  REFUNDED: 'refunded',
  DISPUTED: 'disputed',
}

function stateOf({ link, payment }: KnownPayment): Shown {
  if (payment === null) return link?.state === 'EXPIRED' ? 'expired' : 'ready'
  // The payments API has yet to confirm it.
  if (payment.provisional) return 'processing'
  return PHASES[payment.phase] ?? 'processing'
}

/** Returns the page on which the payer can pay now; null if there is none. */
function pageOf({ link, payment }: KnownPayment): string | null {
  const { kind, url } = payment?.nextAction ?? {}
  const page = payment === null ? (link?.state === 'OPEN' ? link.checkoutUrl : null) : url
  const isToOpen = payment === null || kind === 'OPEN_CHECKOUT' || kind === 'COMPLETE_3DS'
  return isToOpen && typeof page === 'string' && /^https?:\/\//i.test(page) ? page : null
}

function reasonOf(payment: PaymentDetails | null, texts: Texts, language: string): string {
  const { customerMessage, retry } = payment?.failure ?? {}
  if (GRAPH_LANGUAGES.has(language) && typeof customerMessage === 'string') return customerMessage
  return retry === 'DO_NOT_RETRY' ? texts.contact : texts.tryOther
}

function timeOf(instant: string, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(instant))
}

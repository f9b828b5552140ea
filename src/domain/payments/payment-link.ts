import { tidied } from '../../lib/text.ts'
import {
  emailProblem,
  present,
  problem,
  TEXT,
  textProblem,
  type Problem,
  type TextRange,
  keyProblem,
  normaliseName,
} from '../field-problems.ts'
import { parseMethodCode } from '../methods/payin-method.ts'
import { payinAmountProblem, type Money } from '../money/money.ts'
import { PAID_RANK } from './payment-report.ts'
import { holdsMoney, type Payment } from './payment.ts'

/** A request for a link. */
export type LinkRequest = {
  readonly idempotencyKey: string
  readonly reference: string
  readonly amount: Money
  readonly description: string
  readonly customer: LinkCustomer
  readonly methodCode?: string | null | undefined
  readonly expiresInSeconds: number
  readonly successUrl?: string | null | undefined
  readonly failureUrl?: string | null | undefined
  readonly ownerId?: string | null | undefined
  readonly site?: string | null | undefined
  readonly severalPayments?: boolean | null | undefined
}

export type LinkCustomer = {
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  readonly address?: string | null | undefined
  readonly city?: string | null | undefined
  readonly postalCode?: string | null | undefined
  readonly state?: string | null | undefined
  readonly countryCode?: string | null | undefined
  readonly extra?: Readonly<Record<string, unknown>> | null | undefined
}

/** A hosted checkout link: our request and the response of the payments API. */
export type PaymentLink = {
  /** The upstream link uuid. */
  readonly id: string
  /** Our correlation id, created before the request was sent: the last segment of the link's webhook URL. */
  readonly ref: string
  readonly streamId: string
  readonly site: string
  /** The merchant's own reference, such as an order id. */
  readonly reference: string
  readonly checkoutUrl: string
  readonly requestedAmount: Money
  readonly description: string
  readonly methodCode: string | null
  readonly ownerId: string | null
  /** ISO 8601 instants in UTC. */
  readonly createdAt: string
  readonly expiresAt: string
  /** The payments API has confirmed that the link expired without a payment. */
  readonly expired: boolean
  /** Id of the payment that determines the link's state (`speaksForLink`). */
  readonly paymentId: string | null
}

/** The response of the payments API to a request for a link. */
type Made = {
  readonly site: string
  readonly ref: string
  /** The payments API's uuid. */
  readonly uuid: string
  readonly paymentUrl: string
  /** ISO 8601 in UTC, by the payments API's clock; null if it has not reported it. */
  readonly expiresAt: string | null
  /** The payments API's clock when it answered; null if unknown. */
  readonly answeredAt: Date | null
  /** Our clock when the link was requested, in milliseconds, and when the answer was there. */
  readonly sentAt: number
  readonly at: Date
}

/** Returns the link of a request, as it is recorded after the payments API has created it. */
export function createdLink(request: LinkRequest, made: Made): PaymentLink {
  const { site, ref, uuid, paymentUrl, at } = made
  return {
    id: uuid,
    ref,
    streamId: linkStreamId(ref),
    site,
    reference: request.reference,
    checkoutUrl: paymentUrl,
    requestedAmount: { value: request.amount.value, currency: request.amount.currency },
    description: request.description,
    methodCode: request.methodCode ?? null,
    ownerId: request.ownerId ?? null,
    createdAt: at.toISOString(),
    expiresAt: ownExpiry(made, made.sentAt + request.expiresInSeconds * 1_000),
    expired: false,
    paymentId: null,
  }
}

/** Clocks that differ by less count as equal: an HTTP date has whole seconds, and an answer takes a while. */
const SAME_CLOCK_MS = 5_000
/** An HTTP date is rounded down. With the whole second, no countdown ends after the page. */
const HTTP_DATE_MS = 1_000

/**
 * Returns the expiry by our clock. Where the payments API's clock differs from ours, its expiry and its `Date` together tell the time that is
 * left. Of both readings the one nearer to the requested expiry counts, so that a wrong `Date` of a proxy has no effect.
 * No link has expired before it was requested: without a usable `Date`, such an expiry counts as not reported.
 */
function ownExpiry({ expiresAt, answeredAt, sentAt, at }: Made, requestedMs: number): string {
  if (expiresAt === null) return new Date(requestedMs).toISOString()
  const leadMs = answeredAt === null ? 0 : answeredAt.getTime() + HTTP_DATE_MS - at.getTime()
  const reportedMs = Date.parse(expiresAt)
  const ownMs = reportedMs - leadMs
  const isOff = Math.abs(leadMs) > SAME_CLOCK_MS && Math.abs(ownMs - requestedMs) < Math.abs(reportedMs - requestedMs)
  if ((isOff ? ownMs : reportedMs) <= sentAt) return new Date(requestedMs).toISOString()
  return isOff ? new Date(ownMs).toISOString() : expiresAt
}

export type PaymentLinkState = 'OPEN' | 'PAID' | 'FAILED' | 'EXPIRED'

/** Returns the id of the stream that contains the events of a link and of its payments. */
export function linkStreamId(ref: string): string {
  return `link:${ref}`
}

/** Returns the id of the stream that contains the events of a payment that was made without a link of ours. */
export function directPaymentStreamId(paymentId: string): string {
  return `payment:${paymentId}`
}

/** Returns the state of a link at an instant. `payment` is the payment that determines it. */
export function linkState(link: PaymentLink, payment: Payment | null, now: Date): PaymentLinkState {
  if (payment !== null && payment.rank >= PAID_RANK) return 'PAID'
  if (payment?.phase === 'FAILED') return 'FAILED'
  if (link.expired || payment?.phase === 'EXPIRED') return 'EXPIRED'
  const underWay = payment !== null && payment.rank > 0
  return !underWay && now.getTime() >= Date.parse(link.expiresAt) ? 'EXPIRED' : 'OPEN'
}

/**
 * Returns whether a payment determines the link's state instead of the current one: the one that is further, of equals the first that was paid,
 * otherwise the latest. An attempt that has ended never hides one that may still be paid, or was: the payer would be invited to pay twice.
 */
export function speaksForLink(candidate: Payment, current: Payment | null): boolean {
  if (current === null || current.id === candidate.id) return true
  const lead = standing(candidate) - standing(current)
  return lead > 0 || (lead === 0 && current.rank < PAID_RANK)
}

/** Returns whether a change may have given the link to another payment: the one that determined its state is less far than before. */
export function fellBehind(before: Payment | null, after: Payment): boolean {
  return before !== null && standing(after) < standing(before)
}

/** How far a payment is among several of one link: ended, of an unknown status, under way (by rank), returned, paid. */
function standing(payment: Payment): number {
  const { rank, phase, status } = payment
  if (rank >= PAID_RANK) return holdsMoney(payment) ? 6 : 5
  if (phase !== 'IN_PROGRESS') return 0
  return status === null ? 1 : 2 + rank
}

const SHORTEST_EXPIRY_S = 900
const DESCRIPTION: TextRange = { longest: 500 }

/** Names of the sender fields that have their own argument: `extra` must not replace them. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  'email',
  'first_name',
  'last_name',
  'address',
  'city',
  'postal_code',
  'state',
  'country_code',
])

/** Returns the request in the form in which it is checked and sent: reference, name and e-mail address in composed letters, without superfluous spaces. */
export function normaliseLinkRequest(request: LinkRequest): LinkRequest {
  const { customer } = request
  const firstName = normaliseName(customer.firstName)
  const lastName = normaliseName(customer.lastName)
  const email = tidied(customer.email)
  return { ...request, reference: tidied(request.reference), customer: { ...customer, email, firstName, lastName } }
}

/**
 * Returns all problems of a request for a link, field by field; empty if it may be sent. Contains the rules of payments-api.md, sections
 * 2.4 and 8, so that no request that violates them is sent.
 */
export function linkRequestProblems(request: LinkRequest): Problem[] {
  const { customer } = request
  return present([
    keyProblem(request.idempotencyKey),
    textProblem(request.reference, TEXT, ['reference']),
    problem(payinAmountProblem(request.amount), ['amount', 'value']),
    textProblem(request.description, DESCRIPTION, ['description']),
    problem(emailProblem(customer.email), ['customer', 'email']),
    textProblem(customer.firstName, TEXT, ['customer', 'firstName']),
    textProblem(customer.lastName, TEXT, ['customer', 'lastName']),
    ...(['address', 'city', 'postalCode', 'state'] as const).map((name) =>
      customer[name] == null ? null : textProblem(customer[name], TEXT, ['customer', name]),
    ),
    problem(countryProblem(customer.countryCode), ['customer', 'countryCode']),
    ...extraProblems(customer.extra ?? {}),
    problem(methodProblem(request), ['methodCode']),
    problem(expiryProblem(request.expiresInSeconds), ['expiresInSeconds']),
    request.ownerId == null ? null : textProblem(request.ownerId, TEXT, ['ownerId']),
  ])
}

function countryProblem(code: string | null | undefined): string | null {
  return code == null || /^[A-Z]{2}$/.test(code) ? null : 'must be an ISO 3166 alpha-2 code such as "AU"'
}

function methodProblem({ methodCode, amount }: LinkRequest): string | null {
  if (methodCode == null) return null
  if (methodCode.trim() === '' || methodCode.length > 100) return 'must be a method code'
  const { currency } = parseMethodCode(methodCode)
  return currency === null || currency === amount.currency ? null : `collects in ${currency}, not in ${amount.currency}`
}

function expiryProblem(seconds: number): string | null {
  return seconds >= SHORTEST_EXPIRY_S ? null : `must be at least ${SHORTEST_EXPIRY_S}`
}

function extraProblems(extra: Readonly<Record<string, unknown>>): (Problem | null)[] {
  return Object.entries(extra).map(([name, value]) => {
    const path = ['customer', 'extra', name]
    if (!/^[a-z][a-z0-9_]{0,63}$/.test(name)) return problem('is not a field name of the payments API', path)
    if (OWN_FIELDS.has(name)) return problem('has an argument of its own', path)
    return typeof value === 'string' ? textProblem(value, TEXT, path) : problem('must be a string', path)
  })
}

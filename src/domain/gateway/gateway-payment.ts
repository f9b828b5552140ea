import { tidied } from '../../lib/text.ts'
import {
  normaliseName,
  normalisePhone,
  emailProblem,
  present,
  problem,
  TEXT,
  textProblem,
  keyProblem,
  type Problem,
} from '../field-problems.ts'
import { amountProblem, isZero, type Money } from '../money/money.ts'
import { type PaymentStatus, recogniseStatus } from '../payments/payment-report.ts'
import type { Disposition } from '../payments/payment.ts'

/** `created`: started, and no callback has reported anything yet. */
export type GatewayPaymentStatus = 'created' | PaymentStatus

/**
 * What a gateway payment was requested with: neither the response nor a callback adds to it. The page for the payer is not part of it: its URL
 * contains the order.
 */
export type GatewayPaymentFacts = {
  /** The merchant's own id of the order. */
  readonly reference: string
  /** Plain digits. */
  readonly amount: string
  readonly currency: string
  readonly description: string
}

/** A report about a gateway payment: a callback, or the response to its creation. */
export type GatewayPaymentReport = {
  /** The upstream `payment_id`. */
  readonly id: string
  /** Null where a callback names no order. */
  readonly reference: string | null
  readonly statusRaw: string
  /** Null if this version does not recognise the status. */
  readonly status: GatewayPaymentStatus | null
}

/** A gateway payment: the result of its events. */
export type GatewayPayment = NewGatewayPayment & {
  /** Sequence of the last event that changed it. */
  readonly version: number
  readonly statusRaw: string
  /** Null while the last status is one that this version does not recognise. */
  readonly status: GatewayPaymentStatus | null
  /** Its status is open: it is contradicted, or not recognised. The payments API has no read that would decide. */
  readonly provisional: boolean
  /** Status of the last callback that contradicts the state or replaced a status that is not recognised; null without a doubt. */
  readonly contradictedBy: string | null
  /** Instant of its first event, ISO 8601 in UTC. */
  readonly createdAt: string
  /** Instant of the last change, ISO 8601 in UTC. */
  readonly updatedAt: string
}

/** What is known of a gateway payment before its first event. */
export type NewGatewayPayment = GatewayPaymentFacts & {
  readonly id: string
  /** Our correlation id, created before the request was sent: the last segment of the callback URL. */
  readonly ref: string
  readonly streamId: string
  readonly site: string
  /** An operator had recorded that its creation made no payment, or another one. */
  readonly overrulesOperator: boolean
}

export type GatewayPaymentChange = Pick<GatewayPayment, 'statusRaw' | 'status' | 'contradictedBy'> & {
  readonly kind: 'GATEWAY_PAYMENT_CREATED' | 'GATEWAY_PAYMENT_STATUS_CHANGED' | 'GATEWAY_PAYMENT_DETAILS_CHANGED'
}

export type GatewayPaymentDecision = {
  readonly disposition: Disposition
  /** The change to record as an event; null if nothing changes. */
  readonly change: GatewayPaymentChange | null
  /** Whether the payment is provisional from now on; null leaves it unchanged. */
  readonly provisional: boolean | null
  /** Always false: the payments API has no endpoint that reads a gateway payment. */
  readonly confirm: false
}

/** Name of the mutation that starts gateway payments, in the records of its commands. */
export const CREATE_GATEWAY_PAYMENT = 'createGatewayPayment'

/** A creation whose outcome is unknown. */
export type UnansweredGatewayCreation = GatewayPaymentFacts & {
  /** Id of the command. */
  readonly operationId: string
  readonly site: string
  /** Instant of the attempt, ISO 8601 in UTC. */
  readonly requestedAt: string
}

/** Returns the id of the stream that contains the events of a gateway payment. */
export function gatewayStreamId(id: string): string {
  return `${STREAM}${id}`
}

/** Returns whether a stream contains the events of a gateway payment. */
export function isGatewayStream(streamId: string): boolean {
  return streamId.startsWith(STREAM)
}

/** Returns whether events of this kind are about gateway payments. */
export function isGatewayKind(kind: string): kind is GatewayPaymentChange['kind'] {
  return kind in KINDS
}

const STREAM = 'gateway:'
const KINDS: Readonly<Record<GatewayPaymentChange['kind'], true>> = {
  GATEWAY_PAYMENT_CREATED: true,
  GATEWAY_PAYMENT_STATUS_CHANGED: true,
  GATEWAY_PAYMENT_DETAILS_CHANGED: true,
}

/**
 * Returns the status of a callback; null if it is not recognised. Its values are not documented: those of payments are taken as an open set
 * (gap sheet, section 4).
 */
export function gatewayStatus(raw: string): GatewayPaymentStatus | null {
  return raw === 'created' ? 'created' : recogniseStatus(raw)
}

/** Returns the gateway payment after a change. For the first change, `state` contains only what is known before it. */
export function evolveGatewayPayment(
  state: GatewayPayment | NewGatewayPayment,
  { statusRaw, status, contradictedBy }: GatewayPaymentChange,
  { sequence, at, provisional }: { readonly sequence: number; readonly at: string; readonly provisional: boolean },
): GatewayPayment {
  return {
    ...state,
    version: sequence,
    statusRaw,
    status,
    provisional,
    contradictedBy,
    createdAt: 'version' in state ? state.createdAt : at,
    updatedAt: at,
  }
}

/** A request for a payment through the v1 gateway. */
export type GatewayRequest = {
  readonly idempotencyKey: string
  readonly reference: string
  readonly amount: Money
  readonly description: string
  readonly successUrl: string
  readonly billing: GatewayContact
  readonly shipping?: GatewayContact | null | undefined
  readonly items?: readonly GatewayItem[] | null | undefined
}

export type GatewayContact = {
  readonly firstName: string
  readonly lastName: string
  readonly phone: string
  readonly email: string
  readonly company?: string | null | undefined
  readonly address?: string | null | undefined
  readonly city?: string | null | undefined
  readonly postalCode?: string | null | undefined
  readonly state?: string | null | undefined
  readonly countryCode?: string | null | undefined
}

export type GatewayItem = {
  readonly id: string
  readonly name: string
  readonly quantity: number
  /** Plain digits in AUD; zero for a free item. */
  readonly price: string
  readonly variantId?: string | null | undefined
  readonly imageUrl?: string | null | undefined
  readonly enableCashback?: boolean | null | undefined
}

/** Returns what is recorded of a request before it is sent. */
export function requestedFacts({ reference, amount, description }: GatewayRequest): GatewayPaymentFacts {
  return { reference, amount: amount.value, currency: amount.currency, description }
}

/** Returns the request in the form in which it is checked and sent: order, names and e-mail addresses trimmed, phone numbers as `+` and digits. */
export function normaliseGatewayRequest(request: GatewayRequest): GatewayRequest {
  const { billing, shipping } = request
  return {
    ...request,
    reference: tidied(request.reference),
    billing: normaliseContact(billing),
    shipping: shipping && normaliseContact(shipping),
  }
}

function normaliseContact(contact: GatewayContact): GatewayContact {
  return {
    ...contact,
    firstName: normaliseName(contact.firstName),
    lastName: normaliseName(contact.lastName),
    email: tidied(contact.email),
    phone: isForeign(contact) ? tidied(contact.phone) : normalisePhone(contact.phone),
  }
}

/**
 * Returns whether a phone number has no country code and the address is outside Australia. The gateway accepts only AUD, but also customers
 * from other countries.
 */
function isForeign({ phone, countryCode }: GatewayContact): boolean {
  return tidied(phone).startsWith('0') && countryCode != null && countryCode !== 'AU'
}

const DESCRIPTION = { longest: 500 }

/**
 * Returns all problems of a request for a payment through the gateway, field by field; empty if it may be sent. The gateway accepts only
 * AUD. Source: gap sheet, section 4.
 */
export function gatewayRequestProblems(request: GatewayRequest): Problem[] {
  const { amount, shipping } = request
  return present([
    keyProblem(request.idempotencyKey),
    textProblem(request.reference, TEXT, ['reference']),
    problem(amountProblem(amount), ['amount', 'value']),
    amount.currency === 'AUD' ? null : problem('must be AUD', ['amount', 'currency']),
    textProblem(request.description, DESCRIPTION, ['description']),
    ...contactProblems(request.billing, 'billing'),
    ...(shipping == null ? [] : contactProblems(shipping, 'shipping')),
    ...(request.items ?? []).flatMap(itemProblems),
  ])
}

/** An international number: the payments API's own example is `+61412345678`. */
const PHONE = /^\+[1-9]\d{6,14}$/

function contactProblems(contact: GatewayContact, name: string): (Problem | null)[] {
  const { countryCode } = contact
  return [
    textProblem(contact.firstName, TEXT, [name, 'firstName']),
    textProblem(contact.lastName, TEXT, [name, 'lastName']),
    problem(PHONE.test(contact.phone) ? null : 'must be + and 7 to 15 digits', [name, 'phone']),
    problem(emailProblem(contact.email), [name, 'email']),
    ...(['company', 'address', 'city', 'postalCode', 'state'] as const).map((field) =>
      contact[field] == null ? null : textProblem(contact[field], TEXT, [name, field]),
    ),
    countryCode == null || /^[A-Z]{2}$/.test(countryCode)
      ? null
      : problem('must be an ISO 3166 alpha-2 code such as "AU"', [name, 'countryCode']),
  ]
}

function itemProblems(item: GatewayItem, index: number): (Problem | null)[] {
  const path = ['items', String(index)]
  const { quantity, variantId } = item
  return [
    textProblem(item.id, TEXT, [...path, 'id']),
    textProblem(item.name, TEXT, [...path, 'name']),
    Number.isSafeInteger(quantity) && quantity >= 1
      ? null
      : problem('must be a whole number of at least 1', [...path, 'quantity']),
    problem(priceProblem(item.price), [...path, 'price']),
    variantId == null ? null : textProblem(variantId, TEXT, [...path, 'variantId']),
  ]
}

function priceProblem(price: string): string | null {
  return isZero(price) ? null : amountProblem({ value: price, currency: 'AUD' })
}

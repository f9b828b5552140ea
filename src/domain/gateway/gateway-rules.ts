import { normaliseName, normalisePhone } from '../contacts/normalise-contact.ts'
import { emailProblem, present, problem, TEXT, textProblem, keyProblem, type Problem } from '../field-problems.ts'
import { amountProblem, type Money } from '../money/money.ts'
import type { GatewayPaymentFacts, GatewayPaymentReport } from './gateway-payment.ts'

/** A request for a payment through the v1 gateway. */
export type GatewayRequest = {
  readonly idempotencyKey: string
  readonly orderId: string
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
export function requestedFacts({ orderId, amount, description }: GatewayRequest): GatewayPaymentFacts {
  return { orderId, amount: amount.value, currency: amount.currency, description }
}

/** Returns the report about a payment that was just started: it is created, and has what was requested. */
export function gatewayPaymentAsRequested(
  { paymentId, orderId }: { readonly paymentId: string; readonly orderId: string },
  request: GatewayRequest,
): GatewayPaymentReport {
  return { ...requestedFacts(request), id: paymentId, orderId, statusRaw: 'created', status: 'created' }
}

/** Returns the request in the form in which it is checked and sent: names and e-mail addresses trimmed, phone numbers as `+` and digits. */
export function normaliseGatewayRequest(request: GatewayRequest): GatewayRequest {
  const { billing, shipping } = request
  return { ...request, billing: normaliseContact(billing), shipping: shipping && normaliseContact(shipping) }
}

function normaliseContact(contact: GatewayContact): GatewayContact {
  return {
    ...contact,
    firstName: normaliseName(contact.firstName),
    lastName: normaliseName(contact.lastName),
    email: contact.email.trim(),
    phone: isForeign(contact) ? contact.phone : normalisePhone(contact.phone),
  }
}

/**
 * Returns whether a phone number has no country code and the address is outside Australia. The gateway accepts only AUD, but also customers
 * from other countries.
 */
function isForeign({ phone, countryCode }: GatewayContact): boolean {
  return phone.trim().startsWith('0') && countryCode != null && countryCode !== 'AU'
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
    textProblem(request.orderId, TEXT, ['orderId']),
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
  return /^0(?:\.0{1,2})?$/.test(price) ? null : amountProblem({ value: price, currency: 'AUD' })
}

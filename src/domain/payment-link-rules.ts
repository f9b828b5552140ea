import { parseMethodCode } from './method-code.ts'
import { amountProblem, type Money } from './money.ts'

/** What a caller asks for when it asks for a link. */
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

export type Problem = { readonly path: readonly string[]; readonly message: string }

const SHORTEST_EXPIRY_S = 900
const LONGEST_KEY = 255
const LONGEST_TEXT = 255
const LONGEST_DESCRIPTION = 500
const EMAIL = /^[^\s@]{1,64}@[^\s@.]+(?:\.[^\s@.]+)+$/

/** Names of the sender fields that have an argument of their own: `extra` must not replace them. */
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

/**
 * Everything that is wrong with a request for a link, field by field; empty when it may be sent. Holds the rules of the
 * interface document, sections 2.4 and 8, so that nothing which breaks them leaves this process.
 */
export function linkRequestProblems(request: LinkRequest): Problem[] {
  const { customer } = request
  return [
    text(request.idempotencyKey, LONGEST_KEY, ['idempotencyKey']),
    text(request.reference, LONGEST_TEXT, ['reference']),
    problem(amountProblem(request.amount), ['amount', 'value']),
    text(request.description, LONGEST_DESCRIPTION, ['description']),
    problem(EMAIL.test(customer.email) && customer.email.length <= LONGEST_TEXT ? null : 'must be an e-mail address', [
      'customer',
      'email',
    ]),
    text(customer.firstName, LONGEST_TEXT, ['customer', 'firstName']),
    text(customer.lastName, LONGEST_TEXT, ['customer', 'lastName']),
    ...(['address', 'city', 'postalCode', 'state'] as const).map((name) =>
      customer[name] == null ? null : text(customer[name], LONGEST_TEXT, ['customer', name]),
    ),
    problem(countryProblem(customer.countryCode), ['customer', 'countryCode']),
    ...extraProblems(customer.extra ?? {}),
    problem(methodProblem(request), ['methodCode']),
    problem(expiryProblem(request.expiresInSeconds), ['expiresInSeconds']),
    request.ownerId == null ? null : text(request.ownerId, LONGEST_TEXT, ['ownerId']),
  ].filter((found) => found !== null)
}

function text(value: string, longest: number, path: readonly string[]): Problem | null {
  if (value.trim() === '') return problem('must not be blank', path)
  if (hasControlCharacter(value)) return problem('must not hold control characters', path)
  return problem(value.length > longest ? `must have at most ${longest} characters` : null, path)
}

function problem(message: string | null, path: readonly string[]): Problem | null {
  return message === null ? null : { path, message }
}

function hasControlCharacter(value: string): boolean {
  return /\p{Cc}/u.test(value) || !value.isWellFormed()
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
    if (!/^[a-z][a-z0-9_]{0,63}$/.test(name)) return problem('is not a field name of the service', path)
    if (OWN_FIELDS.has(name)) return problem('has an argument of its own', path)
    return typeof value === 'string' ? text(value, LONGEST_TEXT, path) : problem('must be a string', path)
  })
}

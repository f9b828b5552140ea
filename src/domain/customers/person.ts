import { tidied } from '../../lib/text.ts'
import {
  normaliseName,
  normalisePhone,
  emailProblem,
  type Problem,
  problem,
  TEXT,
  textProblem,
} from '../field-problems.ts'

/** Kinds of identity documents of the payments API (gap sheet, sections 22 and 23). */
export const DOCUMENT_TYPES = ['passport', 'id_card', 'driving_license'] as const

export type DocumentType = (typeof DOCUMENT_TYPES)[number]

export const PARTY_TYPES = ['individual', 'organization'] as const

export type PartyType = (typeof PARTY_TYPES)[number]

/** What is known of a person or an organisation. It is personal data: it is neither stored nor logged. */
export type PersonalDetails = {
  readonly email: string | null
  readonly firstName: string | null
  readonly middleName: string | null
  readonly lastName: string | null
  /** A day, `1990-12-31`. */
  readonly dateOfBirth: string | null
  readonly phone: string | null
  readonly gender: string | null
  readonly registrationNumber: string | null
  readonly street: string | null
  readonly street2: string | null
  readonly city: string | null
  readonly postalCode: string | null
  readonly state: string | null
}

/** An identity document. Its number is masked when it is read. */
export type PaymentIdentityDocument = {
  /** Null for a kind that is not known. */
  readonly type: DocumentType | null
  readonly typeRaw: string | null
  readonly issueCountry: string | null
  readonly numberMasked: string | null
  readonly issuedOn: string | null
  readonly expiresOn: string | null
}

export type Person = {
  readonly type: PartyType | null
  readonly countryCode: string | null
  readonly personal: PersonalDetails
  readonly document: PaymentIdentityDocument | null
}

/** A customer of one site, as the payments API reports it. */
export type Customer = Person & { readonly id: string }

/** A contact of one site. Its e-mail address names it. */
export type Contact = Person & {
  readonly email: string
  /** The results of its identity checks, in the order of the payments API. */
  readonly identity: readonly PaymentIdentityResult[]
}

/** One result of an identity check; `message` may be personal data. */
export type PaymentIdentityResult = { readonly statusRaw: string; readonly message: string | null }

/** State of a contact's identity check; null is a status that is not known. */
export type PaymentIdentityStatus = 'not_submitted' | 'pending' | 'approved' | 'rejected' | null

/** The payments API writes `failed` in its text and `rejected` in its examples (gap sheet, section 23). */
const STATUSES: Readonly<Record<string, PaymentIdentityStatus>> = {
  pending: 'pending',
  approved: 'approved',
  rejected: 'rejected',
  failed: 'rejected',
}

/** Returns what a result of an identity check says; null if its word is not known. */
export function identityStatusOf({ statusRaw }: Pick<PaymentIdentityResult, 'statusRaw'>): PaymentIdentityStatus {
  return STATUSES[statusRaw.toLowerCase()] ?? null
}

/** Returns the state of a contact's identity: that of the last result in the list (gap sheet, section 23). */
export function identityStatus({ identity }: Pick<Contact, 'identity'>): PaymentIdentityStatus {
  const latest = identity.at(-1)
  return latest === undefined ? 'not_submitted' : identityStatusOf(latest)
}

/** Returns the full name of a person; null if no part of it is known. */
export function fullName({ firstName, middleName, lastName }: PersonalDetails): string | null {
  const name = [firstName, middleName, lastName].filter((part) => part !== null).join(' ')
  return name === '' ? null : name
}

/** A person or an organisation, as a caller describes it. */
export type PersonRequest = {
  readonly email: string
  readonly firstName: string
  readonly middleName?: string | null | undefined
  readonly lastName: string
  /** A day, `1990-12-31`. */
  readonly dateOfBirth: string
  readonly phone: string
  readonly gender: 'male' | 'female' | 'other'
  readonly type: PartyType
  /** Needed for an organisation. */
  readonly registrationNumber?: string | null | undefined
  readonly street: string
  readonly street2?: string | null | undefined
  readonly city: string
  readonly postalCode: string
  readonly state: string
  readonly countryCode: string
}

export type DocumentRequest = {
  readonly issueCountry: string
  readonly type: DocumentType
  readonly number: string
  readonly issuedOn: string
  readonly expiresOn: string
}

/**
 * Returns the person in the form in which it is checked and sent: names and e-mail address trimmed, an Australian telephone number with a
 * hyphen after its country code, as the payments API writes it, and every other one as `+` and digits.
 */
export function normalisePerson(person: PersonRequest): PersonRequest {
  const { middleName, street2, registrationNumber } = person
  return {
    ...person,
    email: tidied(person.email),
    firstName: normaliseName(person.firstName),
    middleName: middleName == null ? null : normaliseName(middleName),
    lastName: normaliseName(person.lastName),
    phone: normalisePhone(person.phone, '-'),
    registrationNumber: registrationNumber == null ? null : tidied(registrationNumber),
    street: normaliseName(person.street),
    street2: street2 == null ? null : normaliseName(street2),
    city: normaliseName(person.city),
    postalCode: tidied(person.postalCode),
    state: tidied(person.state),
  }
}

const PHONE = /^\+[1-9]\d{0,3}-?\d{4,14}$/
const COUNTRY = /^[A-Z]{2}$/
const SUBDIVISION = /^[A-Z]{2,3}$/
/** The countries whose states have to be codes (gap sheet, section 22). */
const WITH_CODES: ReadonlySet<string> = new Set(['US', 'CA', 'AU'])
const DOCUMENT_NUMBER = { longest: 64 }

/** Returns the problems of a person, by field below `path`. `today` is the current day in UTC. Source: gap sheet, sections 22 and 23. */
export function personProblems(person: PersonRequest, today: string, path: readonly string[]): (Problem | null)[] {
  const { type, countryCode, state, middleName, street2, registrationNumber } = person
  const text = (name: 'firstName' | 'lastName' | 'street' | 'city' | 'postalCode' | 'state') =>
    textProblem(person[name], TEXT, [...path, name])
  const optional = (value: string | null | undefined, name: string) =>
    value == null ? null : textProblem(value, TEXT, [...path, name])
  return [
    problem(emailProblem(person.email), [...path, 'email']),
    text('firstName'),
    optional(middleName, 'middleName'),
    text('lastName'),
    person.dateOfBirth < today ? null : problem('must lie in the past', [...path, 'dateOfBirth']),
    problem(PHONE.test(person.phone) ? null : 'must be + and 5 to 15 digits', [...path, 'phone']),
    type === 'organization' && registrationNumber == null
      ? problem('is needed for an organisation', [...path, 'registrationNumber'])
      : optional(registrationNumber, 'registrationNumber'),
    text('street'),
    optional(street2, 'street2'),
    text('city'),
    text('postalCode'),
    text('state') ??
      problem(
        WITH_CODES.has(countryCode) && !SUBDIVISION.test(state) ? 'must be a code such as "NSW" in this country' : null,
        [...path, 'state'],
      ),
    countryProblem(countryCode, [...path, 'countryCode']),
  ]
}

/** Returns the problems of an identity document, by field below `path`. */
export function documentProblems(
  document: DocumentRequest,
  today: string,
  path: readonly string[],
): (Problem | null)[] {
  const { issuedOn, expiresOn } = document
  return [
    countryProblem(document.issueCountry, [...path, 'issueCountry']),
    textProblem(document.number, DOCUMENT_NUMBER, [...path, 'number']),
    issuedOn <= today ? null : problem('must not lie in the future', [...path, 'issuedOn']),
    expiryProblem(issuedOn, expiresOn, today, [...path, 'expiresOn']),
  ]
}

/** Returns the problem of a document's last day; `issuedOn` may be unknown. */
export function expiryProblem(
  issuedOn: string | null,
  expiresOn: string,
  today: string,
  path: readonly string[],
): Problem | null {
  if (expiresOn < today) return problem('must not lie in the past', path)
  return issuedOn !== null && expiresOn <= issuedOn ? problem('must lie after issuedOn', path) : null
}

export function countryProblem(code: string, path: readonly string[]): Problem | null {
  return problem(COUNTRY.test(code) ? null : 'must be an ISO 3166 alpha-2 code such as "AU"', path)
}

/** Returns a person as it was just requested: the answer to a creation names nothing but the id and the e-mail address. */
export function personAsRequested(person: PersonRequest): Omit<Person, 'document'> {
  const { type, countryCode, middleName = null, street2 = null, registrationNumber = null, ...given } = person
  return { type, countryCode, personal: { ...given, middleName, street2, registrationNumber } }
}

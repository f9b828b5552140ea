import { normaliseName, normalisePhone } from '../contacts/normalise-contact.ts'
import { emailProblem, type Problem, problem, TEXT, textProblem } from '../field-problems.ts'
import type { DocumentType, PartyType, Person } from './person.ts'

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
    email: person.email.trim(),
    firstName: normaliseName(person.firstName),
    middleName: middleName == null ? null : normaliseName(middleName),
    lastName: normaliseName(person.lastName),
    phone: normalisePhone(person.phone, '-'),
    registrationNumber: registrationNumber?.trim() ?? null,
    street: normaliseName(person.street),
    street2: street2 == null ? null : normaliseName(street2),
    city: normaliseName(person.city),
    postalCode: person.postalCode.trim(),
    state: person.state.trim(),
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

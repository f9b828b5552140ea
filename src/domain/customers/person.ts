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
export type IdentityDocument = {
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
  readonly document: IdentityDocument | null
}

/** A customer of one site, as the payments API reports it. */
export type Customer = Person & { readonly id: string }

/** A contact of one site. Its e-mail address names it. */
export type Contact = Person & {
  readonly email: string
  /** The results of its identity checks, in the order of the payments API. */
  readonly identity: readonly IdentityResult[]
}

/** One result of an identity check; `message` may be personal data. */
export type IdentityResult = { readonly statusRaw: string; readonly message: string | null }

/** State of a contact's identity check; null is a status that is not known. */
export type IdentityStatus = 'not_submitted' | 'pending' | 'approved' | 'rejected' | null

/** The payments API writes `failed` in its text and `rejected` in its examples (gap sheet, section 23). */
const STATUSES: Readonly<Record<string, IdentityStatus>> = {
  pending: 'pending',
  approved: 'approved',
  rejected: 'rejected',
  failed: 'rejected',
}

/** Returns what a result of an identity check says; null if its word is not known. */
export function identityStatusOf({ statusRaw }: Pick<IdentityResult, 'statusRaw'>): IdentityStatus {
  return STATUSES[statusRaw.toLowerCase()] ?? null
}

/** Returns the state of a contact's identity: that of the last result in the list (gap sheet, section 23). */
export function identityStatus({ identity }: Pick<Contact, 'identity'>): IdentityStatus {
  const latest = identity.at(-1)
  return latest === undefined ? 'not_submitted' : identityStatusOf(latest)
}

/** Returns the full name of a person; null if no part of it is known. */
export function fullName({ firstName, middleName, lastName }: PersonalDetails): string | null {
  const name = [firstName, middleName, lastName].filter((part) => part !== null).join(' ')
  return name === '' ? null : name
}

import type { DocumentRequest, PersonRequest } from '../../domain/customers/person-rules.ts'
import type { IdentityStatus as KnownStatus, PartyType as KnownType } from '../../domain/customers/person.ts'
import type { IdentityDocumentInput, IdentityStatus, PaymentPartyType, PersonInput } from '../generated.ts'

/** Returns the value of the schema for the kind of a party. */
export function partyType(type: KnownType | null): PaymentPartyType {
  return type === null ? 'UNRECOGNISED' : (type.toUpperCase() as PaymentPartyType)
}

/** Returns the value of the schema for the state of an identity check. */
export function shownIdentityStatus(status: KnownStatus): IdentityStatus {
  return status === null ? 'UNRECOGNISED' : (status.toUpperCase() as IdentityStatus)
}

/** Returns a person in the words of the payments API. */
export function personRequest({ gender, type, ...person }: PersonInput): PersonRequest {
  return {
    ...person,
    gender: gender.toLowerCase() as PersonRequest['gender'],
    type: type.toLowerCase() as PersonRequest['type'],
  }
}

/** Returns an identity document in the words of the payments API. */
export function documentRequest({ type, ...document }: IdentityDocumentInput): DocumentRequest {
  return { ...document, type: type.toLowerCase() as DocumentRequest['type'] }
}

import { z } from 'zod'
import {
  type DocumentRequest,
  type PersonRequest,
  DOCUMENT_TYPES,
  PARTY_TYPES,
} from '../../../domain/customers/person.ts'
import { boundedText, countryCode, type RequestBody, requestBody, uuidText } from '../values/request-schema.ts'

const NAME_LENGTH = 255
const DOCUMENT_LENGTH = 64

const name = boundedText(NAME_LENGTH)
const day = z.string().regex(/^\d{4}-\d\d-\d\d$/)

const common = {
  email: name,
  first_name: name,
  last_name: name,
  dob: day,
  phone: name,
  street: name,
  city: name,
  postal_code: name,
  state: name,
  country: countryCode,
  type: z.enum(PARTY_TYPES),
  reg_no: name.optional(),
}

const document = z.strictObject({
  issue_country: countryCode,
  id_doc_type: z.enum(DOCUMENT_TYPES),
  document_number: boundedText(DOCUMENT_LENGTH),
  issue_date: day,
  expiry_date: day,
})

const customer = z.strictObject({
  ...common,
  gender: z.enum(['male', 'female', 'other']),
  middle_name: name.optional(),
  street2: name.optional(),
  identity: document,
})

const contact = z.strictObject({ ...common, gender: z.enum(['male', 'female']) })

const update = customer.extend({ uuid: uuidText })

/** Builds the body of a customer (gap sheet, section 22); `faults` names the invalid fields instead. Never throws. */
export function toCustomerBody(person: PersonRequest, identity: DocumentRequest): RequestBody {
  return requestBody(customer, customerFields(person, identity))
}

/** Builds the body that replaces a customer (gap sheet, section 22). Never throws. */
export function toCustomerUpdateBody(uuid: string, person: PersonRequest, identity: DocumentRequest): RequestBody {
  return requestBody(update, { uuid, ...customerFields(person, identity) })
}

/** Builds the body of a contact (gap sheet, section 23), which has no second line of street, and no middle name. Never throws. */
export function toContactBody(person: PersonRequest): RequestBody {
  return requestBody(contact, commonFields(person))
}

function customerFields(person: PersonRequest, identity: DocumentRequest): Record<string, unknown> {
  return {
    ...commonFields(person),
    middle_name: person.middleName,
    street2: person.street2,
    identity: {
      issue_country: identity.issueCountry,
      id_doc_type: identity.type,
      document_number: identity.number,
      issue_date: identity.issuedOn,
      expiry_date: identity.expiresOn,
    },
  }
}

function commonFields(person: PersonRequest): Record<string, unknown> {
  return {
    email: person.email,
    first_name: person.firstName,
    last_name: person.lastName,
    dob: person.dateOfBirth,
    phone: person.phone,
    gender: person.gender,
    street: person.street,
    city: person.city,
    postal_code: person.postalCode,
    state: person.state,
    country: person.countryCode,
    type: person.type,
    reg_no: person.registrationNumber,
  }
}

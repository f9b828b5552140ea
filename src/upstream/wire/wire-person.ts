import type { ExactJson } from 'payments-subgraph-lib/exact-json'
import { z } from 'zod'
import {
  type Contact,
  type Customer,
  DOCUMENT_TYPES,
  type PaymentIdentityDocument,
  type PaymentIdentityResult,
  PARTY_TYPES,
  type Person,
  type DocumentRequest,
  type PersonRequest,
} from '../../domain/customers/person.ts'
import {
  isRecord,
  label,
  maskedNumber,
  realDay,
  recordReader,
  status,
  text,
  textFrom,
  usableUuid,
} from './values/readers.ts'
import { type RequestBody, boundedText, countryCode, requestBody, uuidText } from './values/wire-fields.ts'

const NAME_LENGTH = 255
const WORD_LENGTH = 100
const MESSAGE_LENGTH = 500
const MOST_RESULTS = 100

const readDay = (json: unknown) => (typeof json === 'string' ? realDay(json.trim().slice(0, DAY_LENGTH)) : null)
const DAY_LENGTH = 'YYYY-MM-DD'.length

const country = (json: unknown) => {
  const code = textFrom(json, WORD_LENGTH)?.toUpperCase() ?? ''
  return /^[A-Z]{2}$/.test(code) ? code : null
}

const readPersonFields = recordReader({
  uuid: usableUuid,
  email: text(NAME_LENGTH),
  first_name: text(NAME_LENGTH),
  middle_name: text(NAME_LENGTH),
  last_name: text(NAME_LENGTH),
  dob: readDay,
  phone: label(WORD_LENGTH),
  gender: text(WORD_LENGTH),
  street: text(NAME_LENGTH),
  street2: text(NAME_LENGTH),
  city: text(NAME_LENGTH),
  postal_code: label(WORD_LENGTH),
  state: text(NAME_LENGTH),
  country,
  type: text(WORD_LENGTH),
  reg_no: label(WORD_LENGTH),
})

const readDocumentFields = recordReader({
  issue_country: country,
  id_doc_type: text(WORD_LENGTH),
  document_number: maskedNumber,
  issue_date: readDay,
  expiry_date: readDay,
})

const readResult = recordReader({ kyc_status: status, message: text(MESSAGE_LENGTH) })

/** Reads a customer (gap sheet, section 22); null without a usable uuid. The number of its document is masked here. */
export function readCustomer(json: ExactJson): Customer | null {
  if (!isRecord(json)) return null
  const { uuid: id } = readPersonFields(json)
  return id === null ? null : { id, ...personIn(json) }
}

/** Reads a contact (gap sheet, section 23); null without an e-mail address, which names it. */
export function readContact(json: ExactJson): Contact | null {
  if (!isRecord(json)) return null
  const read = personIn(json)
  const { email } = read.personal
  return email === null ? null : { email, identity: readIdentityResults(json['kyc_statuses']), ...read }
}

/** Reads the results of identity checks; one without a status is omitted. */
function readIdentityResults(json: ExactJson | undefined): PaymentIdentityResult[] {
  return (Array.isArray(json) ? json : []).slice(-MOST_RESULTS).flatMap((entry) => {
    const { kyc_status: statusRaw, message } = readResult(entry)
    // A message may be the text `null` (gap sheet, section 23).
    return statusRaw === null ? [] : { statusRaw, message: message === 'null' ? null : message }
  })
}

function personIn(json: { [key: string]: ExactJson }): Person {
  const body = readPersonFields(json)
  return {
    type: PARTY_TYPES.find((known) => known === body.type?.toLowerCase()) ?? null,
    countryCode: body.country,
    personal: {
      email: body.email,
      firstName: body.first_name,
      middleName: body.middle_name,
      lastName: body.last_name,
      dateOfBirth: body.dob,
      phone: body.phone,
      gender: body.gender,
      registrationNumber: body.reg_no,
      street: body.street,
      street2: body.street2,
      city: body.city,
      postalCode: body.postal_code,
      state: body.state,
    },
    document: readDocument(json['identity']),
  }
}

function readDocument(json: ExactJson | undefined): PaymentIdentityDocument | null {
  if (!isRecord(json)) return null
  const body = readDocumentFields(json)
  // A response example capitalises the kind (gap sheet, section 22).
  const kind = body.id_doc_type?.toLowerCase().replaceAll(/[ -]/g, '_')
  return {
    type: DOCUMENT_TYPES.find((known) => known === kind) ?? null,
    typeRaw: body.id_doc_type,
    issueCountry: body.issue_country,
    numberMasked: body.document_number,
    issuedOn: body.issue_date,
    expiresOn: body.expiry_date,
  }
}

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
export function toCustomerUpdateBody(id: string, person: PersonRequest, identity: DocumentRequest): RequestBody {
  return requestBody(update, { uuid: id, ...customerFields(person, identity) })
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

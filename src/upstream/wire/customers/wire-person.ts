import { z } from 'zod'
import {
  type Contact,
  type Customer,
  DOCUMENT_TYPES,
  type IdentityDocument,
  type IdentityResult,
  PARTY_TYPES,
  type Person,
} from '../../../domain/customers/person.ts'
import type { ExactJson } from '../../../lib/exact-json.ts'
import { realDay } from '../values/day.ts'
import { maskedNumber } from '../values/mask.ts'
import { isRecord, label, lenient, section, status, text, textFrom, uuid } from '../values/wire-fields.ts'

const NAME_LENGTH = 255
const WORD_LENGTH = 100
const MESSAGE_LENGTH = 500
const MOST_RESULTS = 100

const day = lenient((json) => (typeof json === 'string' ? realDay(json.trim().slice(0, DAY_LENGTH)) : null))
const DAY_LENGTH = 'YYYY-MM-DD'.length

const country = lenient((json) => {
  const code = textFrom(json, WORD_LENGTH)?.toUpperCase() ?? ''
  return /^[A-Z]{2}$/.test(code) ? code : null
})

const person = z.object({
  uuid,
  email: text(NAME_LENGTH),
  first_name: text(NAME_LENGTH),
  middle_name: text(NAME_LENGTH),
  last_name: text(NAME_LENGTH),
  dob: day,
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

const identity = section({
  issue_country: country,
  id_doc_type: text(WORD_LENGTH),
  document_number: lenient(maskedNumber),
  issue_date: day,
  expiry_date: day,
})

const result = z.object({ kyc_status: status, message: text(MESSAGE_LENGTH) })

/** Reads a customer (gap sheet, section 22); null without a usable uuid. The number of its document is masked here. */
export function readCustomer(json: ExactJson): Customer | null {
  if (!isRecord(json)) return null
  const { uuid: id } = person.parse(json)
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
function readIdentityResults(json: ExactJson | undefined): IdentityResult[] {
  return (Array.isArray(json) ? json : []).slice(-MOST_RESULTS).flatMap((entry) => {
    const { kyc_status: statusRaw, message } = result.parse(isRecord(entry) ? entry : {})
    // A message may be the text `null` (gap sheet, section 23).
    return statusRaw === null ? [] : { statusRaw, message: message === 'null' ? null : message }
  })
}

function personIn(json: { [key: string]: ExactJson }): Person {
  const body = person.parse(json)
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

function readDocument(json: ExactJson | undefined): IdentityDocument | null {
  if (!isRecord(json)) return null
  const body = identity.parse(json)
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

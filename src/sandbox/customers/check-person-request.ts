import { parseMoment } from '../state/clock.ts'
import { Fields, type JsonObject, type Problems, oneOf, readEmail } from '../values/request-fields.ts'
import type { DocumentRecord, PersonRecord } from './sandbox-customer.ts'

export const DOCUMENT_TYPES = ['passport', 'id_card', 'driving_license'] as const

type Read<Result> = Result | { readonly problems: Problems }

/** Validates the body of a customer (gap sheet, section 22). */
export function readCustomer(body: JsonObject): Read<{ person: PersonRecord; identity: DocumentRecord }> {
  const fields = new Fields(body)
  const type = fields.optionalText('type') ?? 'individual'
  const person = {
    ...readCommon(fields),
    ...texts(fields, ['middle_name', 'street2'], true),
    gender: oneOf(fields, 'gender', ['male', 'female', 'other']) ?? '',
    ...readType(fields, type),
  }
  const identity = readDocument(fields.requiredObject('identity'))
  return fields.isClean ? { person, identity } : { problems: fields.problems }
}

/** Validates the body of a contact (gap sheet, section 23). */
export function readContact(body: JsonObject): Read<{ person: PersonRecord }> {
  const fields = new Fields(body)
  const person = {
    ...readCommon(fields),
    gender: oneOf(fields, 'gender', ['male', 'female']) ?? '',
    ...readType(fields, fields.text('type')),
  }
  return fields.isClean ? { person } : { problems: fields.problems }
}

/** Checks a day, `1990-12-31`. */
export function readDay(fields: Fields, name: string): string {
  const day = fields.text(name)
  if (day !== '' && !isDay(day)) fields.fail(name, 'is not a date')
  return day
}

/** Checks the code of a country. */
export function readCountry(fields: Fields, name: string): string {
  const code = fields.text(name)
  if (code !== '' && !/^[A-Z]{2}$/.test(code)) fields.fail(name, 'is not a country')
  return code
}

const WITH_CODES = new Set(['US', 'CA', 'AU'])

function readCommon(fields: Fields): PersonRecord {
  const country = readCountry(fields, 'country')
  const person = {
    email: readEmail(fields),
    ...texts(fields, ['first_name', 'last_name', 'phone', 'street', 'city', 'postal_code', 'state']),
    dob: readDay(fields, 'dob'),
    country,
  }
  const state = fields.optional('state')
  if (WITH_CODES.has(country) && typeof state === 'string' && !/^[A-Z]{2,3}$/.test(state))
    fields.fail('state', 'is not a state of the country')
  return person
}

function readType(fields: Fields, type: string): PersonRecord {
  if (type !== '' && type !== 'individual' && type !== 'organization')
    fields.fail('type', 'is not included in the list')
  const number = type === 'organization' ? fields.text('reg_no') : fields.optionalText('reg_no')
  return { type, ...(number === undefined ? {} : { reg_no: number }) }
}

function readDocument(fields: Fields | undefined): DocumentRecord {
  if (fields === undefined) return {}
  return {
    issue_country: readCountry(fields, 'issue_country'),
    id_doc_type: oneOf(fields, 'id_doc_type', DOCUMENT_TYPES) ?? '',
    document_number: fields.text('document_number'),
    issue_date: readDay(fields, 'issue_date'),
    expiry_date: readDay(fields, 'expiry_date'),
  }
}

function texts(fields: Fields, names: readonly string[], optional = false): Record<string, string> {
  const read = (name: string) => (optional ? fields.optionalText(name) : fields.text(name))
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = read(name)
      return text === undefined ? [] : [[name, text]]
    }),
  )
}

function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && parseMoment(`${text}T00:00:00`) !== undefined
}

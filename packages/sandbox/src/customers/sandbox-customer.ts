import { Busboy, type BusboyHeaders } from '@fastify/busboy'
import { isDay } from 'payments-subgraph-lib/calendar'
import { stringifyExactJson } from 'payments-subgraph-lib/exact-json'
import { type PersonRecord, type DocumentRecord, type SandboxContact } from '../state/customer.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import {
  type FullTarget,
  Fields,
  type JsonObject,
  type Problems,
  oneOf,
  readEmail,
  requiredTarget,
} from '../values/request-fields.ts'
import { signatureOf } from '../webhooks/webhook-faults.ts'

/** The key of a contact: a site has one for each e-mail address. */
export function contactKey(siteId: string, email: string): string {
  return `${siteId} ${email.toLowerCase()}`
}

const DOCUMENT_TYPES = ['passport', 'id_card', 'driving_license'] as const

type Read<Result> = Result | { readonly problems: Problems }

/** Validates the body of a customer (gap sheet, section 22). */
export function readCustomer(body: JsonObject): Read<{ person: PersonRecord; identity: DocumentRecord }> {
  const fields = new Fields(body)
  const type = fields.optionalText('type') ?? 'individual'
  const person = {
    ...readCommon(fields),
    ...textsOf(fields, ['middle_name', 'street2'], true),
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
function readDay(fields: Fields, name: string): string {
  const day = fields.text(name)
  if (day !== '' && !isDay(day)) fields.fail(name, 'is not a date')
  return day
}

/** Checks the code of a country. */
function readCountry(fields: Fields, name: string): string {
  const code = fields.text(name)
  if (code !== '' && !/^[A-Z]{2}$/.test(code)) fields.fail(name, 'is not a country')
  return code
}

const WITH_CODES = new Set(['US', 'CA', 'AU'])

function readCommon(fields: Fields): PersonRecord {
  const country = readCountry(fields, 'country')
  const person = {
    email: readEmail(fields),
    ...textsOf(fields, ['first_name', 'last_name', 'phone', 'street', 'city', 'postal_code', 'state']),
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

function textsOf(fields: Fields, names: readonly string[], optional = false): Record<string, string> {
  const read = (name: string) => (optional ? fields.optionalText(name) : fields.text(name))
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = read(name)
      return text === undefined ? [] : [[name, text]]
    }),
  )
}

/** A multipart form: its fields, and the first bytes, or all, and the size of its files. */
export type IdentityForm = {
  readonly fields: Readonly<Record<string, string>>
  readonly files: ReadonlyMap<string, { readonly start: Buffer; readonly size: number }>
}

export type IdentityRequest = {
  readonly email: string
  readonly identity: DocumentRecord
  readonly target: FullTarget | undefined
}

/** Parses a multipart body. Returns undefined for anything else, and for one that lacks its end. */
export function parseForm(
  headers: Readonly<Record<string, unknown>>,
  body: Buffer,
  { wholeFiles = false }: { readonly wholeFiles?: boolean } = {},
): Promise<IdentityForm | undefined> {
  const kept = wholeFiles ? body.length : START_BYTES
  const fields: Record<string, string> = {}
  const files = new Map<string, { start: Buffer; size: number }>()
  const { promise, resolve } = Promise.withResolvers<IdentityForm | undefined>()
  try {
    const parser = new Busboy({ headers: headers as BusboyHeaders })
    parser.on('field', (name, value) => void (fields[name] = value))
    parser.on('file', (name, stream) => {
      const file = { start: Buffer.alloc(0), size: 0 }
      files.set(name, file)
      stream.on('error', () => resolve(undefined))
      stream.on('data', (chunk: Buffer) => {
        file.size += chunk.length
        if (file.start.length < kept) file.start = Buffer.concat([file.start, chunk]).subarray(0, kept)
      })
    })
    parser.on('error', () => resolve(undefined))
    parser.on('finish', () => resolve({ fields, files }))
    parser.end(body)
  } catch {
    resolve(undefined)
  }
  return promise
}

/** Validates the form of an identity check (gap sheet, section 23). */
export function readIdentityForm({ fields: texts, files }: IdentityForm): IdentityRequest | { problems: Problems } {
  const fields = new Fields(withTarget(texts))
  const email = readEmail(fields)
  const identity = {
    id_doc_type: oneOf(fields, 'document_type', DOCUMENT_TYPES) ?? '',
    document_number: fields.text('document_number'),
    ...(fields.optional('issue_date') === undefined ? {} : { issue_date: readDay(fields, 'issue_date') }),
    expiry_date: readDay(fields, 'expiry_date'),
    issue_country: readCountry(fields, 'issue_country'),
  }
  fields.text('document_username')
  readCountry(fields, 'nationality')
  for (const [name, kinds] of FILES) {
    const file = files.get(name)
    if (file === undefined) fields.fail(name, "can't be blank")
    else if (!kinds.some((magic) => file.start.subarray(0, magic.length).equals(magic)))
      fields.fail(name, 'is no picture of an accepted kind')
  }
  const target =
    fields.optional('webhook_notification') === undefined ? undefined : requiredTarget(fields, 'webhook_notification')
  return fields.isClean ? { email, identity, target } : { problems: fields.problems }
}

const START_BYTES = 8
const JPEG = Buffer.from([0xff, 0xd8, 0xff])
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

const FILES = [
  ['selfie', [JPEG]],
  ['id_doc_front_side', [JPEG, PNG]],
  ['id_doc_back_side', [JPEG, PNG]],
] as const

/** Returns the fields, with the two of the webhook, whose names are in brackets, as an object. */
export function withTarget(texts: Readonly<Record<string, string>>): JsonObject {
  const {
    'webhook_notification[endpoint_url]': url,
    'webhook_notification[authorization_header]': header,
    ...rest
  } = texts
  if (url === undefined && header === undefined) return rest
  return { ...rest, webhook_notification: { endpoint_url: url ?? null, authorization_header: header ?? null } }
}

/** A document whose number begins so is refused. */
const REFUSED_DOCUMENT = 'REFUSE'

/** Begins a check of handed-in documents: pending at once, and decided one step of the sandbox clock later. */
export function beginCheck(store: SandboxStore, contact: SandboxContact): void {
  contact.step?.cancel()
  void addResult(store, contact, { kyc_status: 'pending', message: 'null' })
  contact.step = store.clock.after(store.paceMs, () => decide(store, contact))
}

/** Plans the decision again that was planned before a restart. */
export function resumeCheck(store: SandboxStore, contact: SandboxContact, at: Date): void {
  contact.step = store.clock.schedule(at, () => decide(store, contact))
}

/** The record of a contact in responses and callbacks (gap sheet, section 23). */
export function contactRecord({ person, identity, results }: SandboxContact): object {
  return { ...person, identity, kyc_statuses: results }
}

function decide(store: SandboxStore, contact: SandboxContact): Promise<void> {
  contact.step = undefined
  // The result takes the place of the pending one.
  contact.results.pop()
  const isRefused = contact.identity?.['document_number']?.startsWith(REFUSED_DOCUMENT) === true
  return addResult(
    store,
    contact,
    isRefused
      ? { kyc_status: 'rejected', message: 'The document cannot be read.' }
      : { kyc_status: 'approved', message: 'null' },
  )
}

async function addResult(
  store: SandboxStore,
  contact: SandboxContact,
  result: SandboxContact['results'][number],
): Promise<void> {
  contact.results.push(result)
  const { target } = contact
  if (target === undefined) return
  const body = stringifyExactJson(contactRecord(contact))
  await store.sender.send({
    subject: `contact ${store.sites.findIndex(({ id }) => id === contact.siteId)}`,
    kind: 'transition',
    status: result.kyc_status,
    url: target.endpointUrl,
    authorization: target.authorizationHeader,
    body,
    signature: signatureOf(store, body),
  })
}

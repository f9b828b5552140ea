import { Busboy, type BusboyHeaders } from '@fastify/busboy'
import {
  Fields,
  type JsonObject,
  type Problems,
  type FullTarget,
  oneOf,
  readEmail,
  requiredTarget,
} from '../values/request-fields.ts'
import { DOCUMENT_TYPES, readCountry, readDay } from './check-person-request.ts'
import type { DocumentRecord } from './sandbox-customer.ts'

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

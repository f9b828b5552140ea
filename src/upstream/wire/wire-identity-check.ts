import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { IdentityCheckRequest, PictureName, PictureType } from '../../domain/customers/identity-check.ts'
import { DOCUMENT_TYPES } from '../../domain/customers/person.ts'
import {
  boundedText,
  countryCode,
  type Notification,
  notification,
  notificationBody,
  type RequestBody,
  requestBody,
} from './values/wire-fields.ts'

export type WireIdentityCheck = IdentityCheckRequest & { readonly webhook: Notification }

/** A picture on its way: its bytes are read once, and not kept. */
export type WirePicture<Name = PictureName> = {
  readonly name: Name
  readonly type: PictureType
  readonly bytes: AsyncIterable<Uint8Array>
}

const NAME_LENGTH = 255
const DOCUMENT_LENGTH = 64

const day = z.string().regex(/^\d{4}-\d\d-\d\d$/)

/** No line break may end the header of a part. */
const line = (longest: number) => boundedText(longest).refine((text) => !/\p{Cc}/u.test(text))

const check = z.strictObject({
  email: line(NAME_LENGTH),
  document_type: z.enum(DOCUMENT_TYPES),
  document_number: line(DOCUMENT_LENGTH),
  document_username: line(NAME_LENGTH),
  issue_date: day.optional(),
  expiry_date: day,
  issue_country: countryCode,
  nationality: countryCode,
  webhook_notification: notification,
})

/** Builds the fields of an identity check (gap sheet, section 23); `faults` names the invalid ones instead. Never throws. */
export function toIdentityCheckFields(request: WireIdentityCheck): RequestBody {
  return requestBody(check, {
    email: request.email,
    document_type: request.documentType,
    document_number: request.documentNumber,
    document_username: request.nameInDocument,
    issue_date: request.issuedOn,
    expiry_date: request.expiresOn,
    issue_country: request.issueCountry,
    nationality: request.nationality,
    webhook_notification: notificationBody(request.webhook),
  })
}

/** The name `image` is assumed (gap sheet, section 21). */
const PART_NAMES: Readonly<Record<PictureName | 'image', string>> = {
  image: 'image',
  selfie: 'selfie',
  front: 'id_doc_front_side',
  back: 'id_doc_back_side',
}
const ENDINGS: Readonly<Record<PictureType, string>> = { 'image/jpeg': 'jpg', 'image/png': 'png' }

type Pictures = AsyncIterable<WirePicture<keyof typeof PART_NAMES>> | Iterable<WirePicture<keyof typeof PART_NAMES>>

export type MultipartBody = { readonly contentType: string; readonly bytes: AsyncIterable<Uint8Array> }

/**
 * Returns a multipart body (RFC 7578) of these fields and, as they come, these pictures. Nested fields have names in brackets. It ends with its
 * last delimiter only if the pictures end without an error, so that a body which was cut short is never complete.
 */
export function multipartOf(fields: Readonly<Record<string, unknown>>, pictures: Pictures): MultipartBody {
  const boundary = `payments-${randomBytes(18).toString('base64url')}`
  return { contentType: `multipart/form-data; boundary=${boundary}`, bytes: bytesOf(boundary, fields, pictures) }
}

async function* bytesOf(
  boundary: string,
  fields: Readonly<Record<string, unknown>>,
  pictures: Pictures,
): AsyncGenerator<Uint8Array> {
  const head = (disposition: string) => `--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n`
  for (const [name, value] of flat(fields)) yield Buffer.from(`${head(`name="${name}"`)}\r\n${value}\r\n`)
  for await (const { name, type, bytes } of pictures) {
    const file = `name="${PART_NAMES[name]}"; filename="${name}.${ENDINGS[type]}"`
    yield Buffer.from(`${head(file)}content-type: ${type}\r\n\r\n`)
    yield* bytes
    yield Buffer.from('\r\n')
  }
  yield Buffer.from(`--${boundary}--\r\n`)
}

function flat(fields: Readonly<Record<string, unknown>>): [string, string][] {
  return Object.entries(fields).flatMap(([name, value]): [string, string][] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).map(([inner, text]) => [`${name}[${inner}]`, String(text)])
      : [[name, String(value)]],
  )
}

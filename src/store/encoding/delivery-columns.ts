import { agreementStreamId } from '../../domain/agreements/agreement.ts'
import { eventId, parseEventId } from '../../domain/payments/payment-event.ts'
import { directPaymentStreamId, linkStreamId } from '../../domain/payments/payment-link.ts'
import type { Disposition } from '../../domain/payments/payment.ts'
import { CALLER_MARK, createTextPacker } from './packed-text.ts'

/** Half of a hash of 256 bits: the probability of a collision among 10^12 deliveries is below 10^-14. */
const KEY_BYTES = 16
const HASH = /^[0-9a-f]{64}$/

/**
 * Returns the id of a delivery, derived from the keyed hash of its body and URL: 22 characters, of which the first is a letter, so that
 * no command line takes it for an option. An argument that is not 64 hexadecimal digits is returned unchanged.
 */
export function deliveryKey(bodyHash: string): string {
  if (!HASH.test(bodyHash)) return bodyHash
  const bytes = Buffer.from(bodyHash.slice(0, 2 * KEY_BYTES), 'hex')
  bytes.writeUInt8(bytes.readUInt8(0) & 0x7f, 0)
  return bytes.toString('base64url')
}

/** The columns of a delivery from which the streams of its event follow. */
export type DeliverySubject = {
  readonly ref: string | null
  readonly subject_id: string | null
}

/**
 * Returns the text of `deliveries.event_id`: only the kind of the stream and the sequence, if the stream is named after the ref or the
 * subject; otherwise the whole id.
 */
export function encodeEventId(id: string, subject: DeliverySubject): string {
  const place = parseEventId(id)
  if (place === null) return id
  const [kind] = Object.entries(streamsOf(subject)).find(([, streamId]) => streamId === place.streamId) ?? []
  return kind === undefined ? id : `${kind}${place.sequence}`
}

/** Returns the id of the event that a delivery caused. Also reads whole ids, which earlier versions always stored. */
export function decodeEventId(stored: string, subject: DeliverySubject): string {
  const [, kind = '', sequence] = /^([lap])(\d+)$/.exec(stored) ?? []
  const streamId = streamsOf(subject)[kind]
  return streamId === undefined ? stored : eventId(streamId, Number(sequence))
}

/** Returns the streams whose names follow from a delivery's columns, by their kind. */
function streamsOf({ ref, subject_id: subjectId }: DeliverySubject): Readonly<Record<string, string>> {
  return {
    ...(ref === null ? {} : { l: linkStreamId(ref), a: agreementStreamId(ref) }),
    ...(subjectId === null ? {} : { p: directPaymentStreamId(subjectId) }),
  }
}

/** The columns that duplicate parts of a delivery's body. */
export type DeliveryBodyColumns = {
  readonly subject_id: string | null
  readonly status_raw: string | null
  readonly disposition: Disposition
}

/** Prefix of a stored body that began with the delivery's own subject and status, which are omitted. */
const HEAD = CALLER_MARK

/** Must never change: databases contain texts that were packed with it. New phrases go to the end; there is room for one. */
const packer = createTextPacker([
  '{"uuid":"',
  '","status":"',
  ',"currency":"AUD","amount":"',
  ',"currency":"',
  ',"amount":"',
  ',"total":"',
  ',"paid_amount":"',
  ',"paid_amount":"0.0","is_refundable":false',
  ',"is_refundable":true',
  ',"is_refundable":false',
  ',"payment_method":"',
  ',"payment_method":"card"',
  ',"payin_method_code":"',
  ',"expired_at":"',
  ',"expires_at":"',
  ',"created_at":"',
  '.000000Z"',
  ',"pay_code":{"error_code":"',
  ',"refund_information":{"total_amount":"',
  '","refund_amount":"',
  ',"sender_details":{"card":{"card_type":"',
  '","card_brand":"',
  '","card_last_4":"',
  '","card_country":"',
  ',"transaction_info":{"uuid":"',
  ',"paid_amount":',
  ',"payment_url":""',
  ',"payment_link_url":""',
])

/**
 * Returns the text of `deliveries.body`. The subject and status of an APPLIED delivery never change, because it is not decided again, so
 * they are omitted from its body.
 */
export function encodeBody(body: string, columns: DeliveryBodyColumns): string {
  const head = columns.disposition === 'APPLIED' ? headOf(columns) : null
  if (head === null || !body.startsWith(head)) return packer.pack(body)
  const rest = packer.pack(body.slice(head.length))
  return HEAD + rest
}

/** Returns the body that was passed to `encodeBody`. Also reads texts of earlier versions. */
export function decodeBody(stored: string, columns: DeliveryBodyColumns): string {
  if (!stored.startsWith(HEAD)) return packer.unpack(stored)
  return `${headOf(columns) ?? ''}${packer.unpack(stored.slice(HEAD.length))}`
}

function headOf({ subject_id: subjectId, status_raw: statusRaw }: DeliveryBodyColumns): string | null {
  if (subjectId === null || statusRaw === null) return null
  return `{"uuid":${JSON.stringify(subjectId)},"status":${JSON.stringify(statusRaw)}`
}

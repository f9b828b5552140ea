import { agreementStreamId } from '../../domain/agreements/agreement.ts'
import { eventId, parseEventId } from '../../domain/payments/payment-event.ts'
import { directPaymentStreamId, linkStreamId } from '../../domain/payments/payment-link.ts'
import type { Disposition } from '../../domain/payments/payment.ts'

/** Compresses texts without loss, with a fixed dictionary of frequent phrases. */
type TextPacker = {
  pack(text: string): string
  /** Returns the text that was packed. A text without control characters, such as JSON text, is returned unchanged. */
  unpack(packed: string): string
}

/** Prefix of a text that contains control characters itself; the rest is stored unchanged. */
const LITERAL = '\u0001'
/** A prefix that the caller may put in front of a packed text: it is never the code of a phrase. */
const CALLER_MARK = '\u001f'
/** Codes 2 to 30: SQLite and PostgreSQL can both store them in a text, and the output of `JSON.stringify` never contains them. */
const FIRST_CODE = 2
const MOST_PHRASES = 29

/** U+0000 to U+001F, which `JSON.stringify` always escapes. */
const CONTROL = /[^\P{Cc}\u007f-\u009f]/u
const EACH_CONTROL = /\p{Cc}/gu

/**
 * Creates a packer that replaces each phrase by one control character, which follows from its index in the list. Databases contain
 * packed texts: a phrase must never move or change, and new ones go to the end. Throws `RangeError` for more than 29 phrases.
 */
export function createTextPacker(phrases: readonly string[]): TextPacker {
  if (phrases.length > MOST_PHRASES) throw new RangeError(`There are codes for ${MOST_PHRASES} phrases.`)
  const byCode = new Map(phrases.map((phrase, index) => [String.fromCharCode(FIRST_CODE + index), phrase]))
  const byBeginning = groupByBeginning([...byCode])
  const first = firstCharacters(phrases)
  return {
    pack(text) {
      if (CONTROL.test(text)) return LITERAL + text
      let packed = ''
      let copied = 0
      for (let at = 0; at < text.length; at += 1) {
        // Few characters can begin a phrase; all others cost only this check.
        if (first[text.charCodeAt(at)] !== 1) continue
        const found = byBeginning.get(beginningAt(text, at))?.find(([, phrase]) => text.startsWith(phrase, at))
        if (found === undefined) continue
        packed += text.slice(copied, at) + found[0]
        copied = at + found[1].length
        at = copied - 1
      }
      return packed + text.slice(copied)
    },
    unpack(packed) {
      if (packed.startsWith(LITERAL)) return packed.slice(LITERAL.length)
      return packed.replace(EACH_CONTROL, (code) => byCode.get(code) ?? code)
    },
  }
}

/** A phrase and its code. */
type Coded = readonly [code: string, phrase: string]

/** Returns the first and third character at a place as one number: a lookup key that matches at few places of a text. */
function beginningAt(text: string, at: number): number {
  return text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 2)
}

/** Groups phrases by their `beginningAt`, the longest first, because a shorter phrase may be a prefix of a longer one. */
function groupByBeginning(phrases: readonly Coded[]): ReadonlyMap<number, readonly Coded[]> {
  const longestFirst = phrases.toSorted(([, a], [, b]) => b.length - a.length)
  return Map.groupBy(longestFirst, ([, phrase]) => beginningAt(phrase, 0))
}

/** Returns an array by ASCII code: 1 for each character that a phrase begins with. */
function firstCharacters(phrases: readonly string[]): Uint8Array {
  const first = new Uint8Array(128)
  for (const phrase of phrases) first[phrase.charCodeAt(0)] = 1
  return first
}

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
type DeliverySubject = {
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

/** Returns the id that was passed to `encodeEventId`. */
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
type DeliveryBodyColumns = {
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

/** Returns the body that was passed to `encodeBody`. */
export function decodeBody(stored: string, columns: DeliveryBodyColumns): string {
  if (!stored.startsWith(HEAD)) return packer.unpack(stored)
  return `${headOf(columns) ?? ''}${packer.unpack(stored.slice(HEAD.length))}`
}

function headOf({ subject_id: subjectId, status_raw: statusRaw }: DeliveryBodyColumns): string | null {
  if (subjectId === null || statusRaw === null) return null
  return `{"uuid":${JSON.stringify(subjectId)},"status":${JSON.stringify(statusRaw)}`
}

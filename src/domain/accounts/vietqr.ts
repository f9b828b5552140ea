/** Result of the check of a payload: valid, or the offset of its first fault and a description of the fault. */
export type VietQrCheck =
  | { readonly ok: true }
  | { readonly ok: false; readonly position: number; readonly message: string }

const LONGEST_PAYLOAD = 512
const VIETQR_GUID = 'A000000727'
const VND = '704'
const VIETNAM = 'VN'

/** Length of an object's header: two digits of id and two digits of length. */
const HEADER = 4

/**
 * Checks a VietQR payload before the payments API is asked for the account in it: the EMV structure (two digits of id, two of length, then
 * the value, and the same again inside templates), the mandatory objects of a VietQR, and its CRC. `position` is the offset of the first
 * fault in characters.
 *
 * Lengths are in characters, and the CRC is calculated over UTF-8 bytes. Every character must be printable ASCII, except in the free text
 * of objects 59 (name), 60 (city), 62 and 64, which may contain any other character of the basic multilingual plane. Source:
 * payments-api.md, section 4.7.
 */
export function checkVietQr(payload: string): VietQrCheck {
  if (payload === '') return { ok: false, position: 0, message: 'is empty' }
  const top = readObjects(payload, 0)
  const first = earliest([
    payload.length > LONGEST_PAYLOAD ? fault(LONGEST_PAYLOAD, `has more than ${LONGEST_PAYLOAD} characters`) : null,
    openingFault(top.objects),
    ...top.objects.flatMap(objectFaults),
    ...closingFaults(payload, top.objects),
    ...structureFaults(top),
  ])
  return first === null ? { ok: true } : { ok: false, ...first }
}

/** Returns the CRC-16/CCITT-FALSE of a text's UTF-8 bytes, as four upper-case hexadecimal digits. */
export function crc16(text: string): string {
  let crc = 0xffff
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit += 1) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff
  }
  return crc.toString(16).toUpperCase().padStart(4, '0')
}

type Fault = { readonly position: number; readonly message: string }

type DataObject = { readonly id: string; readonly at: number; readonly valueAt: number; readonly value: string }

/** The objects before the first structural fault, and that fault. */
type Objects = { readonly objects: readonly DataObject[]; readonly broken: Fault | null }

function fault(position: number, message: string): Fault {
  return { position, message }
}

function earliest(faults: readonly (Fault | null)[]): Fault | null {
  return faults.reduce(
    (first, found) => (first === null || (found && found.position < first.position) ? found : first),
    null,
  )
}

/**
 * `base` is the offset of the text in the payload. Objects that begin after the maximum length are skipped: the payload is too long anyway.
 */
function readObjects(text: string, base: number): Objects {
  const objects: DataObject[] = []
  let at = 0
  while (at < text.length && base + at < LONGEST_PAYLOAD) {
    const broken = headerFault(text, at)
    if (broken !== null) return { objects, broken: fault(base + broken.position, broken.message) }
    const valueAt = at + HEADER
    const end = valueAt + Number(text.slice(at + 2, valueAt))
    objects.push({
      id: text.slice(at, at + 2),
      at: base + at,
      valueAt: base + valueAt,
      value: text.slice(valueAt, end),
    })
    at = end
  }
  return { objects, broken: null }
}

function headerFault(text: string, at: number): Fault | null {
  const header = text.slice(at, at + HEADER)
  const stray = header.search(/[^0-9]/)
  if (stray !== -1) return fault(at + stray, stray < 2 ? 'an id must have two digits' : 'a length must have two digits')
  if (header.length < HEADER) return fault(at, 'an object is cut short')
  const length = Number(header.slice(2))
  if (length === 0) return fault(at + 2, 'a length must be above zero')
  return length > text.length - at - HEADER ? fault(at + 2, 'a length goes beyond the end') : null
}

function structureFaults({ objects, broken }: Objects): (Fault | null)[] {
  const again = objects.find(({ id }, index) => objects.findIndex((other) => other.id === id) < index)
  return [broken, again === undefined ? null : fault(again.at, 'an id stands twice')]
}

function openingFault([first]: readonly DataObject[]): Fault | null {
  if (first === undefined) return null
  if (first.id !== '00') return fault(first.at, 'the payload format (00) must come first')
  return first.value === '01' ? null : fault(first.valueAt, 'the payload format must be 01')
}

/** Returns the faults of one object, at any position in the payload. */
function objectFaults(object: DataObject): (Fault | null)[] {
  const { id, value, valueAt } = object
  if (id === '38') return [characterFault(object), ...beneficiaryFaults(object)]
  if (id === '53' && value !== VND) return [fault(valueAt, `the currency must be ${VND} (VND)`)]
  if (id === '58' && value !== VIETNAM) return [fault(valueAt, `the country must be ${VIETNAM}`)]
  return [characterFault(object), ...(isTemplate(id) ? structureFaults(readObjects(value, valueAt)) : [])]
}

/**
 * Returns whether an object contains objects: merchant accounts, additional data, and the name in another language. Objects from 80 on are
 * not parsed, because wallets write plain text there.
 */
function isTemplate(id: string): boolean {
  return (id >= '26' && id <= '51') || id === '62' || id === '64'
}

const FREE_TEXT: ReadonlySet<string> = new Set(['59', '60', '62', '64'])

/** A character outside the basic plane is rejected, because some programs count it as one character and others as two. */
function characterFault({ id, value, valueAt }: DataObject): Fault | null {
  const stray = value.search(FREE_TEXT.has(id) ? /[\p{Cc}\p{Cs}]|[\u{10000}-\u{10FFFF}]/u : /[^ -~]/)
  return stray === -1 ? null : fault(valueAt + stray, 'a character is not allowed here')
}

/** Object 38 is the beneficiary. Its object 00 names the scheme, and 01 contains the bank (00, its BIN) and the account (01). */
function beneficiaryFaults({ value, valueAt }: DataObject): (Fault | null)[] {
  const inner = readObjects(value, valueAt)
  const scheme = inner.objects.find(({ id }) => id === '00')
  const account = inner.objects.find(({ id }) => id === '01')
  const faults = [...structureFaults(inner), inner.broken === null ? schemeFault(scheme, valueAt) : null]
  if (account === undefined) return [...faults, fault(valueAt + value.length, 'the beneficiary (38-01) is missing')]
  return [...faults, ...accountFaults(account)]
}

function schemeFault(scheme: DataObject | undefined, templateAt: number): Fault | null {
  if (scheme === undefined) return fault(templateAt, 'the scheme (38-00) is missing')
  return scheme.value === VIETQR_GUID ? null : fault(scheme.valueAt, `the scheme must be ${VIETQR_GUID}`)
}

function accountFaults({ value, valueAt }: DataObject): (Fault | null)[] {
  const inner = readObjects(value, valueAt)
  const held = (id: string, shape: RegExp, message: string): Fault | null => {
    const found = inner.objects.find((object) => object.id === id)
    if (found === undefined) return fault(valueAt + value.length, message)
    return shape.test(found.value) ? null : fault(found.valueAt, message)
  }
  return [
    ...structureFaults(inner),
    held('00', /^\d{6}$/, 'the bank (38-01-00) must be a BIN of six digits'),
    held('01', /^[0-9A-Za-z]{1,19}$/, 'the account (38-01-01) must have 1 to 19 letters and digits'),
  ]
}

/** Checks the mandatory objects 38 and 63. The CRC covers everything before its own four digits. */
function closingFaults(payload: string, objects: readonly DataObject[]): (Fault | null)[] {
  const crc = objects.find(({ id }) => id === '63')
  const end = crc?.at ?? payload.length
  const missing = (id: string, what: string): Fault | null =>
    objects.some((object) => object.id === id) ? null : fault(end, `${what} (${id}) is missing`)
  const absent = [missing('38', 'the beneficiary'), missing('63', 'the CRC')]
  return crc === undefined ? absent : [...absent, ...crcFaults(payload, crc)]
}

function crcFaults(payload: string, { at, value, valueAt }: DataObject): (Fault | null)[] {
  if (value.length !== 4) return [fault(at + 2, 'the CRC must have four digits')]
  const stray = value.search(/[^0-9A-Fa-f]/)
  const end = valueAt + value.length
  return [
    end < payload.length ? fault(end, 'the CRC (63) must come last') : null,
    stray === -1 ? null : fault(valueAt + stray, 'the CRC must have four hex digits'),
    value.toUpperCase() === crc16(payload.slice(0, valueAt))
      ? null
      : fault(valueAt, 'the CRC does not fit the payload'),
  ]
}

import { type ExactJson, stringifyExactJson } from 'payments-subgraph-lib/exact-json'
import {
  parseMethodCode,
  type MethodFlags,
  type PayinMethod,
  type PayinMethodUse,
  type MethodField,
  type MethodRequirements,
  parseFieldDescriptor,
} from '../../domain/methods/payin-method.ts'
import {
  currency,
  decimalFromWire,
  flag,
  isRecord,
  recordReader,
  safeUrl,
  text,
  textFrom,
  usableMethodCode,
} from './values/readers.ts'

const NAME_LENGTH = 200
const LABEL_LENGTH = 64
const SYMBOL_LENGTH = 16
const MOST_LABELS = 100

/** The names of these fields are not published (gap sheet, section 6), so every key that contains such a word is accepted. */
const NETWORK_KEY = /network|operator/i
const BRAND_KEY = /brand|supported_cards/i
const LANGUAGE_KEY = /language|locale/i

/** One entry of the list as received; keys that this version does not know become extras. */
type PayinMethodEntry = {
  readonly code: string
  readonly name: string | null
  readonly currency: string | null
  readonly minAmount: string | null
  readonly maxAmount: string | null
  readonly cardBrands: readonly string[] | null
  readonly checkoutLanguages: readonly string[] | null
  readonly networks: readonly string[] | null
  readonly symbol: string | null
  readonly logo: string | null
  readonly flags: MethodFlags
  readonly extras: Readonly<Record<string, ExactJson>>
}

/** The flags of a method. Documented for v2 (gap sheet, section 8); read from v3 entries too, where they have them. */
const METHOD_FLAGS = { is_refundable: flag, is_cancellable: flag, require_contact: flag, require_kyc: flag }

/** Converts the flags from the wire format. */
function methodFlags(wire: { readonly [Name in keyof typeof METHOD_FLAGS]: boolean | null }): MethodFlags {
  return {
    refundable: wire.is_refundable,
    cancellable: wire.is_cancellable,
    requiresContact: wire.require_contact,
    requiresKyc: wire.require_kyc,
  }
}

/** How a method is shown. Documented for v2 (gap sheet, section 8); read from v3 entries too, where they have it. */
const METHOD_LOOK = { symbol: text(SYMBOL_LENGTH), logo: safeUrl }

const KNOWN = {
  payin_method_code: usableMethodCode,
  payin_method_name: text(NAME_LENGTH),
  currency,
  min_amount: readLimit,
  max_amount: readLimit,
  ...METHOD_FLAGS,
  ...METHOD_LOOK,
}
const readKnown = recordReader(KNOWN)

/** Reads one entry of the v3 method list (docs/payments-api.md, section 2.5); null for one without a usable code. */
export function readPayinMethodEntry(json: ExactJson): PayinMethodEntry | null {
  if (!isRecord(json)) return null
  const { payin_method_code: code, ...entry } = readKnown(json)
  if (code === null) return null
  const extras = Object.fromEntries(Object.entries(json).filter(([key]) => !(key in KNOWN)))
  return {
    code,
    name: entry.payin_method_name,
    currency: entry.currency,
    minAmount: entry.min_amount,
    maxAmount: entry.max_amount,
    cardBrands: labelsUnder(BRAND_KEY, extras),
    checkoutLanguages: labelsUnder(LANGUAGE_KEY, extras),
    networks: networksIn(extras),
    symbol: entry.symbol,
    logo: entry.logo,
    flags: methodFlags(entry),
    extras,
  }
}

/**
 * Converts an entry into a method. The currency is the entry's own, else the one in its code, else the site's only one; null if
 * none of these is known.
 */
export function toPayinMethod(
  entry: PayinMethodEntry,
  siteCurrencies: readonly string[],
  usableFor: readonly PayinMethodUse[] = [],
): PayinMethod | null {
  const { countryCode, kind, kindRaw, currency: inCode } = parseMethodCode(entry.code)
  const only = siteCurrencies.length === 1 ? (siteCurrencies[0] ?? null) : null
  const settled = entry.currency ?? inCode ?? only
  if (settled === null) return null
  return {
    code: entry.code,
    usableFor,
    name: entry.name,
    currency: settled,
    countryCode,
    kind,
    kindRaw,
    minAmount: entry.minAmount,
    maxAmount: entry.maxAmount,
    cardBrands: entry.cardBrands,
    checkoutLanguages: entry.checkoutLanguages,
    networks: entry.networks,
    symbol: entry.symbol,
    logo: entry.logo,
    flags: entry.flags,
  }
}

/** Returns the digits of a limit; a negative one counts as no limit. */
function readLimit(json: unknown): string | null {
  const value = decimalFromWire(json)
  return value?.startsWith('-') ? null : value
}

/** Returns the methods in the currencies of a site, in the original order, without duplicate codes. */
export function servedMethods<Method extends { readonly code: string; readonly currency: string }>(
  methods: readonly Method[],
  currencies: readonly string[],
): Method[] {
  const served = methods.filter((method) => currencies.includes(method.currency))
  return [...new Map(served.toReversed().map((method) => [method.code, method])).values()].toReversed()
}

/** Returns the mobile networks or wallets that a record of a method names; null if it names none. */
function networksIn(record: Record<string, ExactJson>): readonly string[] | null {
  return labelsUnder(NETWORK_KEY, record)
}

/** Returns the first list whose key matches, in the entry or in an object within it. */
function labelsUnder(name: RegExp, record: Record<string, ExactJson>): readonly string[] | null {
  const within = Object.values(record).flatMap((value) => (isRecord(value) ? Object.entries(value) : []))
  const found = [...Object.entries(record), ...within].find(([key, value]) => name.test(key) && Array.isArray(value))
  return found === undefined ? null : labelsOf(found[1])
}

function labelsOf(list: ExactJson): readonly string[] {
  const labels = (Array.isArray(list) ? list : []).flatMap((entry) => {
    const raw = isRecord(entry) ? (entry['code'] ?? entry['name']) : entry
    return textFrom(raw, LABEL_LENGTH) ?? []
  })
  return Object.freeze([...new Set(labels)].slice(0, MOST_LABELS))
}

const DESCRIPTION_LENGTH = 500
const DESCRIPTOR_LENGTH = 500
const FIELD_NAME_LENGTH = 100
const MOST_FIELDS = 100

/** The two kinds of v2 methods have the same fields, with the direction in the field names. */
export type Direction = 'payin' | 'payout'

const common = {
  currency,
  description: text(DESCRIPTION_LENGTH),
  min_amount: readLimit,
  max_amount: readLimit,
  ...METHOD_FLAGS,
  ...METHOD_LOOK,
}

const readDirectEntry = recordReader({
  ...common,
  payin_method_name: usableMethodCode,
  payout_method_name: usableMethodCode,
})

/**
 * Reads one entry of a v2 method list (docs/payments-api.md, section 2.6, and gap sheet, section 7), whose `..._method_name` is
 * the code; null without a usable code.
 */
export function readDirectMethodEntry(json: ExactJson, direction: Direction): PayinMethodEntry | null {
  if (!isRecord(json)) return null
  const { description, ...method } = readDirectEntry(json)
  const code = method[`${direction}_method_name`]
  if (code === null) return null
  return {
    code,
    name: description,
    currency: method.currency,
    minAmount: method.min_amount,
    maxAmount: method.max_amount,
    cardBrands: null,
    checkoutLanguages: null,
    networks: networksIn(json),
    symbol: method.symbol,
    logo: method.logo,
    flags: methodFlags(method),
    extras: {},
  }
}

/** The method whose requirements were requested: its code, and the currencies of the site. */
export type AskedMethod = {
  readonly direction: Direction
  readonly code: string
  readonly currencies: readonly string[]
}

/**
 * Reads the required fields of a v2 method (gap sheet, sections 8 and 17). The currency is the record's own, else the one in the
 * code, else the site's only one. Null if the fields or the currency are missing.
 */
export function readMethodRequirements(json: ExactJson, asked: AskedMethod): MethodRequirements | null {
  if (!isRecord(json)) return null
  const method = readDirectEntry(json)
  const only = asked.currencies.length === 1 ? (asked.currencies[0] ?? null) : null
  const settled = method.currency ?? parseMethodCode(asked.code).currency ?? only
  const fields = fieldsOf(json[`${asked.direction}_method_params`])
  if (settled === null || fields === null) return null
  return {
    code: method[`${asked.direction}_method_name`] ?? asked.code,
    currency: settled,
    description: method.description,
    minAmount: method.min_amount,
    maxAmount: method.max_amount,
    networks: networksIn(json),
    symbol: method.symbol,
    logo: method.logo,
    ...methodFlags(method),
    fields,
  }
}

/** An empty list and null are accepted for an empty object, because some languages serialise it so. */
function fieldsOf(params: ExactJson | undefined): MethodField[] | null {
  if (params === null || (Array.isArray(params) && params.length === 0)) return []
  if (!isRecord(params)) return null
  return Object.entries(params)
    .filter(([name]) => name.length <= FIELD_NAME_LENGTH && textFrom(name, FIELD_NAME_LENGTH) === name)
    .slice(0, MOST_FIELDS)
    .map(([name, descriptor]) => parseFieldDescriptor(name, descriptorText(descriptor)))
}

/** A descriptor that is not a string is kept as its JSON, which gives no requirement. */
function descriptorText(descriptor: ExactJson): string {
  const written = typeof descriptor === 'string' ? descriptor : stringifyExactJson(descriptor)
  return textFrom(written, DESCRIPTOR_LENGTH) ?? ''
}

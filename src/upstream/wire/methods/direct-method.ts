import { z } from 'zod'
import {
  parseMethodCode,
  type MethodField,
  type MethodRequirements,
  parseFieldDescriptor,
} from '../../../domain/methods/payin-method.ts'
import { type ExactJson, stringifyExactJson } from '../../../lib/exact-json.ts'
import { currency, decimal, isRecord, lenient, text, textFrom, usableMethodCode } from '../values/wire-fields.ts'
import {
  METHOD_FLAGS,
  METHOD_LOOK,
  methodFlags,
  networksIn,
  notNegative,
  type PayinMethodEntry,
} from './wire-payin-method.ts'

const DESCRIPTION_LENGTH = 500
const DESCRIPTOR_LENGTH = 500
const NAME_LENGTH = 100
const MOST_FIELDS = 100

/** The two kinds of v2 methods have the same fields, with the direction in the field names. */
export type Direction = 'payin' | 'payout'

const common = {
  currency,
  description: text(DESCRIPTION_LENGTH),
  min_amount: decimal.transform(notNegative),
  max_amount: decimal.transform(notNegative),
  ...METHOD_FLAGS,
  ...METHOD_LOOK,
}

const entry = z.object({
  ...common,
  payin_method_name: lenient(usableMethodCode),
  payout_method_name: lenient(usableMethodCode),
})

/**
 * Reads one entry of a v2 method list (docs/payments-api.md, section 2.6, and gap sheet, section 7), whose `..._method_name` is
 * the code; null without a usable code.
 */
export function readDirectMethodEntry(json: ExactJson, direction: Direction): PayinMethodEntry | null {
  if (!isRecord(json)) return null
  const { description, ...method } = entry.parse(json)
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
  const method = entry.parse(json)
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

/** An empty list is accepted for an empty object, because some languages serialise it so. */
function fieldsOf(params: ExactJson | undefined): MethodField[] | null {
  if (Array.isArray(params) && params.length === 0) return []
  if (!isRecord(params)) return null
  return Object.entries(params)
    .filter(([name]) => name.length <= NAME_LENGTH && textFrom(name, NAME_LENGTH) === name)
    .slice(0, MOST_FIELDS)
    .map(([name, descriptor]) => parseFieldDescriptor(name, descriptorText(descriptor)))
}

/** A descriptor that is not a string is kept as its JSON, which gives no requirement. */
function descriptorText(descriptor: ExactJson): string {
  const written = typeof descriptor === 'string' ? descriptor : stringifyExactJson(descriptor)
  return textFrom(written, DESCRIPTOR_LENGTH) ?? ''
}

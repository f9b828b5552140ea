import { problem, type Problem } from '../field-problems.ts'
import { compareDecimals, type Money } from '../money/money.ts'
import { parseMethodCode } from './method-code.ts'
import type { MethodFlags } from './payin-method.ts'

/** Checks an amount against a method's limits for one payment. Returns null if it is within them, or if no limit applies. */
export function limitProblem(
  { value, currency }: Money,
  limits: Pick<MethodRequirements, 'currency' | 'minAmount' | 'maxAmount'> | null,
): string | null {
  if (limits === null || limits.currency !== currency) return null
  const { minAmount, maxAmount } = limits
  if (minAmount !== null && compareDecimals(value, minAmount) < 0) return `must be at least ${minAmount}`
  return maxAmount !== null && compareDecimals(value, maxAmount) > 0 ? `must be at most ${maxAmount}` : null
}

/** Checks that a method supports a currency, according to its requirements or, without them, to its code. Returns null if it does. */
export function methodProblem(code: string, currency: string, requirements: MethodRequirements | null): string | null {
  if (code.trim() === '' || code.length > 100) return 'must be a method code'
  const works = requirements?.currency ?? parseMethodCode(code).currency
  return works === null || works === currency ? null : `is for ${works}, not for ${currency}`
}

/**
 * Checks the fields of a method: required ones are present, and each has its type. Fields that the method does not name, and types that
 * this version does not recognise, are accepted, because the payments API does not forbid them.
 */
export function methodFieldProblems(
  given: Readonly<Record<string, unknown>>,
  requirements: Pick<MethodRequirements, 'fields'> | null,
  path: readonly string[],
): (Problem | null)[] {
  return (requirements?.fields ?? []).map(({ name, type, required }) => {
    const value = Object.hasOwn(given, name) ? given[name] : null
    if (value == null) return required ? problem('is required', [...path, name]) : null
    if (TYPES.get(type)?.(value) === false) return problem(`must be of type ${type}`, [...path, name])
    return required && typeof value === 'string' && value.trim() === ''
      ? problem('must not be blank', [...path, name])
      : null
  })
}

const TYPES: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['string', (value) => typeof value === 'string'],
  ['number', (value) => Number.isFinite(value)],
  ['integer', (value) => Number.isSafeInteger(value)],
  ['boolean', (value) => typeof value === 'boolean'],
])

/** One field that the merchant collects for a method. */
export type MethodField = {
  readonly name: string
  /** In lower case, as spelled by the payments API, e.g. `string`. */
  readonly type: string
  readonly required: boolean
  readonly label: string | null
  /** The descriptor as received. */
  readonly raw: string
}

/** The required fields and limits of a method. Amounts are plain digits; values that the payments API does not report are null. */
export type MethodRequirements = MethodFlags & {
  readonly code: string
  readonly currency: string
  readonly description: string | null
  readonly minAmount: string | null
  readonly maxAmount: string | null
  readonly networks: readonly string[] | null
  readonly symbol: string | null
  readonly logo: string | null
  readonly fields: readonly MethodField[]
}

const REQUIREMENTS: ReadonlyMap<string, boolean> = new Map([
  ['mandatory', true],
  ['required', true],
  ['optional', false],
])

/**
 * Parses a field descriptor, `<type>:<Mandatory or Optional> <free label>`, in upper or lower case (gap sheet, section 8). A field without
 * this word is optional, because the payments API itself rejects a request without a mandatory field; the label is then the whole text
 * after the type.
 */
export function parseFieldDescriptor(name: string, text: string): MethodField {
  const colon = text.indexOf(':')
  const type = (colon === -1 ? text : text.slice(0, colon)).trim().toLowerCase()
  const rest = colon === -1 ? '' : text.slice(colon + 1).trim()
  const word = /^\p{L}*/u.exec(rest)?.[0] ?? ''
  const required = REQUIREMENTS.get(word.toLowerCase())
  const label = required === undefined ? rest : rest.slice(word.length).replace(/^[\s,;:.-]+/, '')
  return { name, type, required: required ?? false, label: label === '' ? null : label, raw: text }
}

/** An exact amount: plain decimal digits (`"1250.50"`, never an exponent, never a float) and a currency code. */
export type Money = { readonly value: string; readonly currency: string }

/** Format of an amount from a client: no sign, no exponent, at most 15 digits before and 6 after the point. */
const INPUT = /^(0|[1-9]\d{0,14})(?:\.(\d{1,6}))?$/

/** A JSON number with up to this many significant digits keeps its text when it is parsed and printed, in every language. */
const EXACT_DIGITS = 15

/**
 * Checks the amount of a payment to be collected. Returns a sentence about the problem; null if the amount is valid: a plain decimal above
 * zero, with at most 15 significant digits, and with no more decimals than the currency has. A currency that the payments API rounds
 * takes decimals, which are sent as submitted (payments-api.md, section 1, rule 1), but nothing that could be rounded to zero.
 */
export function payinAmountProblem(amount: Money): string | null {
  const { value, currency } = amount
  if (!roundsSubmittedAmount(currency)) return amountProblem(amount)
  return plainProblem(value) ?? (compareDecimals(value, '1') < 0 ? `must be at least 1 ${currency}` : null)
}

/**
 * Checks an amount that must not be rounded: of money that goes out, and of a limit. Returns as `payinAmountProblem` does, and a sentence
 * for decimals that the payments API would round away.
 */
export function amountProblem({ value, currency }: Money): string | null {
  const problem = plainProblem(value)
  if (problem !== null) return problem
  const exponent = exponentOf(currency)
  if (decimalsOf(value) <= exponent) return null
  return exponent === 0
    ? `must be in whole units: ${currency} has no decimals`
    : `must have at most ${exponent} decimals in ${currency}`
}

/** Returns whether a decimal from a client is zero, with at most the decimals that every currency with decimals has. */
export function isZero(value: string): boolean {
  return /^0(?:\.0{1,2})?$/.test(value)
}

function plainProblem(value: string): string | null {
  const match = INPUT.exec(value)
  if (match === null) return 'must be a plain decimal number such as "1250.50"'
  const [, whole = '', decimals = ''] = match
  const significant = (whole + decimals).replace(/^0+/, '')
  if (significant === '') return 'must be above zero'
  return significant.length > EXACT_DIGITS ? `must have at most ${EXACT_DIGITS} digits` : null
}

/**
 * Returns whether the payments API may have recorded a submitted amount as this one: the same, or in a currency that it rounds one of
 * the two whole numbers around it.
 */
export function mayBeRecordedAs({ value, currency }: Money, recorded: string): boolean {
  if (compareDecimals(value, recorded) === 0) return true
  const [whole = ''] = value.split('.')
  if (!roundsSubmittedAmount(currency) || compareDecimals(value, whole) === 0) return false
  return [whole, sumDecimals([whole, '1'])].some((rounded) => compareDecimals(rounded, recorded) === 0)
}

/** Compares two decimals exactly. Returns a negative number if `a` is smaller, zero if they are equal. */
export function compareDecimals(a: string, b: string): number {
  const [wholeA, wholeB] = [wholeDigits(a), wholeDigits(b)]
  // More digits before the point mean a larger number: most comparisons need no big integers.
  if (wholeA !== wholeB && wholeA !== null && wholeB !== null) return Math.sign(wholeA - wholeB)
  const scale = Math.max(decimalsOf(a), decimalsOf(b))
  const difference = scaled(a, scale) - scaled(b, scale)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/** Returns the number of digits before the point; null for a negative number, and for one of several digits with a leading zero. */
function wholeDigits(decimal: string): number | null {
  const point = decimal.indexOf('.')
  const digits = point === -1 ? decimal.length : point
  return decimal.startsWith('-') || (digits > 1 && decimal.startsWith('0')) ? null : digits
}

/** Returns the exact difference of two decimals; zero if `amount` is larger. */
export function subtractDecimals(from: string, amount: string): string {
  const scale = Math.max(decimalsOf(from), decimalsOf(amount))
  const left = scaled(from, scale) - scaled(amount, scale)
  return unscaled(left < 0n ? 0n : left, scale)
}

/**
 * Parses a decimal as the payments API writes it, in a JSON string or as the source text of a number: `"100.0"`, `1e3`, `-0`. Returns plain
 * digits, with the decimals as written; null if the text is not a decimal.
 */
export function decimalFromText(text: string): string | null {
  const match = /^(-?)(\d{1,30})(?:\.(\d{1,30}))?(?:[eE]([+-]?\d{1,2}))?$/.exec(text.trim())
  if (match === null) return null
  const [, sign = '', whole = '', decimals = '', exponent = '0'] = match
  const shifted = shiftPoint(whole, decimals, Number(exponent))
  return sign === '-' && /[1-9]/.test(shifted) ? `-${shifted}` : shifted
}

function shiftPoint(whole: string, decimals: string, places: number): string {
  const digits = whole + decimals
  const point = whole.length + places
  const padded = point <= 0 ? '0'.repeat(1 - point) + digits : digits.padEnd(point, '0')
  const at = Math.max(point, 1)
  const before = padded.slice(0, at).replace(/^0+(?=\d)/, '')
  const after = padded.slice(at)
  return after === '' ? before : `${before}.${after}`
}

/** Returns a decimal with at least this many digits after the point: `"125.5"` with two is `"125.50"`. */
export function withDecimals(decimal: string, least: number): string {
  const missing = least - decimalsOf(decimal)
  if (missing <= 0) return decimal
  return `${decimal}${decimal.includes('.') ? '' : '.'}${'0'.repeat(missing)}`
}

function decimalsOf(decimal: string): number {
  const point = decimal.indexOf('.')
  return point === -1 ? 0 : decimal.length - point - 1
}

function scaled(decimal: string, scale: number): bigint {
  const [whole = '0', decimals = ''] = decimal.split('.')
  return BigInt(whole + decimals.padEnd(scale, '0'))
}

/** Returns the exact sum of decimals, with as many decimal places as the longest of them. */
export function sumDecimals(decimals: readonly string[]): string {
  const scale = Math.max(0, ...decimals.map(decimalsOf))
  const sum = decimals.reduce((total, decimal) => total + scaled(decimal, scale), 0n)
  return unscaled(sum, scale)
}

function unscaled(units: bigint, scale: number): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0')
  const sign = units < 0n ? '-' : ''
  return scale === 0 ? sign + digits : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

/** The part of the payments API's currency table that lists a currency (docs/payments-api.md, section 1). */
type Region = 'ASIA_PACIFIC' | 'AFRICA' | 'AMERICAS' | 'OTHER'
type InterfaceVersion = 'V1' | 'V2' | 'V3'

export type Currency = {
  /** ISO 4217 code, or USDC. */
  readonly code: string
  /** Digits after the decimal point that the payments API processes. */
  readonly exponent: number
  readonly region: Region
  readonly versions: readonly InterfaceVersion[]
}

/** Exponent of a currency that is missing from this table because the payments API has added it since: the most common one. */
const USUAL_EXPONENT = 2

/** The payments API rounds amounts in these currencies to whole units (docs/payments-api.md, section 1, rule 1). */
const WHOLE_UNITS = new Set(['VND', 'JPY', 'XAF', 'KRW', 'XOF'])

const USDC_EXPONENT = 6

const both = ['V2', 'V3'] as const

const TABLE: readonly (readonly [Region, readonly InterfaceVersion[], readonly string[]])[] = [
  ['ASIA_PACIFIC', ['V1', ...both], ['AUD']],
  ['ASIA_PACIFIC', both, ['IDR', 'INR', 'JPY', 'KHR', 'KRW', 'MYR', 'PHP', 'THB', 'VND']],
  ['ASIA_PACIFIC', ['V3'], ['NZD', 'HKD']],
  ['AFRICA', both, ['BWP', 'GHS', 'KES', 'MWK', 'NGN', 'TZS', 'XAF', 'XOF', 'ZAR']],
  ['AMERICAS', both, ['ARS', 'BRL', 'CAD', 'USD']],
  ['OTHER', both, ['USDC']],
]

/** All currencies of the payments API, in the order of its own table (docs/payments-api.md, section 1). */
export const currencies: readonly Currency[] = TABLE.flatMap(([region, versions, codes]) =>
  codes.map((code) => ({ code, exponent: exponentOf(code), region, versions })),
)

/** Returns whether a currency has direct payins: NZD and HKD have none (docs/payments-api.md, section 9), one that we do not know may. */
export function hasDirectPayins(code: string): boolean {
  return currencies.find((currency) => currency.code === code)?.versions.includes('V2') ?? true
}

/**
 * Returns the number of digits after the decimal point that the payments API processes for a currency: 0 for VND, JPY, KRW, XAF and XOF.
 */
export function exponentOf(code: string): number {
  if (WHOLE_UNITS.has(code)) return 0
  return code === 'USDC' ? USDC_EXPONENT : USUAL_EXPONENT
}

/** Returns whether the recorded amount may differ from the submitted one, because the payments API rounds it to whole units. */
export function roundsSubmittedAmount(code: string): boolean {
  return WHOLE_UNITS.has(code)
}

import { ExactNumber } from 'payments-subgraph-lib/exact-json'

/** An exact decimal: `units` divided by ten to the power of `scale`, without trailing zeros. */
export type Decimal = { readonly units: bigint; readonly scale: number }

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/
const LONGEST_TEXT = 64
const LARGEST_EXPONENT = 40

/** Parses the text of a JSON number. Returns undefined for text that is not a number, or too long for an amount. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = text.length > LONGEST_TEXT ? null : NUMBER.exec(text)
  if (match === null) return undefined
  const [, sign = '', whole = '', fraction = '', exponentText = '0'] = match
  const exponent = Number(exponentText)
  if (Math.abs(exponent) > LARGEST_EXPONENT) return undefined
  const digits = BigInt(`${sign}${whole}${fraction}`)
  const scale = fraction.length - exponent
  return scale < 0 ? normalise(digits * 10n ** BigInt(-scale), 0) : normalise(digits, scale)
}

/** Parses a decimal constant of the sandbox's own tables. Throws when it is not a decimal. */
export function decimal(text: string): Decimal {
  const value = parseDecimal(text)
  if (value === undefined) throw new TypeError(`Not a decimal: ${text}`)
  return value
}

/** Negative when `a` is smaller, zero when both are equal, positive when `a` is larger. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale)
  const difference = unitsAt(a, scale) - unitsAt(b, scale)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/** The sum of `a` and `b`. */
export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale)
  return normalise(unitsAt(a, scale) + unitsAt(b, scale), scale)
}

/** The difference `a` − `b`. */
export function subtractDecimals(a: Decimal, b: Decimal): Decimal {
  return addDecimals(a, { units: -b.units, scale: b.scale })
}

/** Rounds a non-negative amount to whole units, half up. */
export function roundToWhole(value: Decimal): Decimal {
  return roundDecimal(value, 0)
}

/** Rounds a non-negative amount to at most `places` digits after the point, half up. */
export function roundDecimal(value: Decimal, places: number): Decimal {
  if (value.scale <= places) return value
  const divisor = 10n ** BigInt(value.scale - places)
  return normalise((value.units * 2n + divisor) / (divisor * 2n), places)
}

/** The plain text of a decimal with at least `places` digits after the point, e.g. `100.0`. */
export function decimalText(value: Decimal, places = 0): string {
  const scale = Math.max(value.scale, places)
  const digits = unitsAt(value, scale)
  const sign = digits < 0n ? '-' : ''
  const padded = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0')
  return scale === 0 ? `${sign}${padded}` : `${sign}${padded.slice(0, -scale)}.${padded.slice(-scale)}`
}

function unitsAt(value: Decimal, scale: number): bigint {
  return value.units * 10n ** BigInt(scale - value.scale)
}

function normalise(units: bigint, scale: number): Decimal {
  let [digits, places] = [units, scale]
  while (places > 0 && digits % 10n === 0n) {
    digits /= 10n
    places -= 1
  }
  return { units: digits, scale: places }
}

/** An amount as a JSON string of the payments API, with at least one digit after the point. */
export function money(amount: Decimal): string {
  return decimalText(amount, 1)
}

/** An amount as a JSON number with its original digits. */
export function jsonNumber(amount: Decimal): ExactNumber {
  return new ExactNumber(decimalText(amount))
}

/** An instant in the payments API's format, e.g. `2025-05-28T04:22:21.567+0000` (gap sheet, section 25.1). */
export function wireTime(moment: Date): string {
  return moment.toISOString().replace('Z', '+0000')
}

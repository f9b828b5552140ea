/** An amount as the graph gives it. */
export type Amount = {
  /** An exact decimal, e.g. `"1250.50"`. */
  readonly value: string
  /** ISO 4217, or the code of a digital asset such as USDC. */
  readonly currency: string
  /** Decimals that are shown at least. Default: as many as the language's tables say. */
  readonly exponent?: number
}

/** A code that `Intl` knows, to stand in for one of which it has none. */
const STAND_IN = 'USD'

/**
 * An amount in words of a language, to the digit: the decimal never becomes a float. Decimals beyond the exponent are shown
 * where they are not zero. What is no decimal is given back as it is, with its currency.
 *
 * @example
 * formatAmount({ value: '1250.5', currency: 'AUD', exponent: 2 }, 'en-AU') // '$1,250.50'
 */
export function formatAmount({ value, currency, exponent }: Amount, locale?: string): string {
  const decimals = /^-?\d+(?:\.(\d*))?$/.exec(value)
  if (decimals === null) return `${value} ${currency}`
  const isKnown = /^[A-Z]{3}$/.test(currency)
  const style: Intl.NumberFormatOptions = isKnown
    ? { style: 'currency', currency }
    : { style: 'currency', currency: STAND_IN, currencyDisplay: 'code' }
  const least = exponent ?? usualDecimals(style, locale)
  const shown = Math.max(least, significant(decimals[1] ?? ''))
  const format = new Intl.NumberFormat(locale, {
    ...style,
    minimumFractionDigits: shown,
    maximumFractionDigits: shown,
  })
  // A decimal as text is exact: https://tc39.es/ecma402/#sec-tointlmathematicalvalue
  const exact = value as Intl.StringNumericLiteral
  if (isKnown) return format.format(exact)
  return format
    .formatToParts(exact)
    .map((part) => (part.type === 'currency' ? currency : part.value))
    .join('')
}

/** How many decimals are left without the zeros at the end. */
function significant(decimals: string): number {
  let length = decimals.length
  while (length > 0 && decimals[length - 1] === '0') length -= 1
  return length
}

function usualDecimals(style: Intl.NumberFormatOptions, locale: string | undefined): number {
  return new Intl.NumberFormat(locale, style).resolvedOptions().maximumFractionDigits ?? 2
}

/** An amount as the graph returns it. */
export type Amount = {
  /** An exact decimal, e.g. `"1250.50"`. */
  readonly value: string
  /** ISO 4217, or the code of a digital asset such as USDC. */
  readonly currency: string
  /** Minimum number of decimals to show. Default: as in the locale data of `Intl`. */
  readonly exponent?: number
}

/** A currency code that `Intl` knows, used in place of a code that it does not know. */
const STAND_IN = 'USD'

/**
 * Formats an amount for a locale without rounding: the decimal never becomes a float. Decimals beyond the exponent are shown
 * when they are not zero. A value that is not a decimal is returned unchanged, with its currency.
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

/** Number of decimals without trailing zeros. */
function significant(decimals: string): number {
  let length = decimals.length
  while (length > 0 && decimals[length - 1] === '0') length -= 1
  return length
}

function usualDecimals(style: Intl.NumberFormatOptions, locale: string | undefined): number {
  return new Intl.NumberFormat(locale, style).resolvedOptions().maximumFractionDigits ?? 2
}

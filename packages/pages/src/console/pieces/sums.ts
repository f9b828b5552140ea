export type AmountValue = { readonly value: string; readonly currency: string; readonly exponent: number }

/** Adds amounts up, exactly, each currency by itself. In the order in which the currencies come first. */
export function sumsOf(amounts: readonly (AmountValue | null | undefined)[]): AmountValue[] {
  const sums = new Map<string, { exponent: number; units: bigint }>()
  for (const amount of amounts) {
    if (amount === null || amount === undefined) continue
    const { currency, exponent, value } = amount
    const before = sums.get(currency)?.units ?? 0n
    sums.set(currency, { exponent, units: before + unitsOf(value, exponent) })
  }
  return [...sums].map(([currency, { exponent, units }]) => ({ currency, exponent, value: decimalOf(units, exponent) }))
}

function unitsOf(value: string, exponent: number): bigint {
  const [whole = '', decimals = ''] = value.split('.')
  return BigInt(whole + decimals.padEnd(exponent, '0').slice(0, exponent))
}

function decimalOf(units: bigint, exponent: number): string {
  if (exponent === 0) return String(units)
  const digits = String(units).padStart(exponent + 1, '0')
  return `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`
}

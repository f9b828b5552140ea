/** The part of the payments API's currency table that lists a currency (docs/payments-api.md, section 1). */
export type Region = 'ASIA_PACIFIC' | 'AFRICA' | 'AMERICAS' | 'OTHER'
export type InterfaceVersion = 'V1' | 'V2' | 'V3'

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

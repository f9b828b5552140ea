/** Digits after the decimal point of each currency that the shop sells in. */
const EXPONENTS = { AUD: 2, JPY: 0, USD: 2, VND: 0, KES: 2 } as const

export type Currency = keyof typeof EXPONENTS
export const CURRENCIES = Object.keys(EXPONENTS) as [Currency, ...Currency[]]

/** The languages of the shop. */
export const LANGUAGES = ['en', 'ja'] as const
export type Language = (typeof LANGUAGES)[number]

/** An exact amount, in the form that the graph uses. */
export type Amount = { readonly value: string; readonly currency: string; readonly exponent: number }

/** One line of the basket. */
export type Line = { readonly sku: Sku; readonly quantity: number }

type Names = Readonly<Record<Language, string>>
/** Unit price in the smallest unit of each currency: sums of integers are exact, unlike sums of floats. */
type Prices = Readonly<Record<Currency, bigint>>

const ITEMS = {
  beans: {
    names: { en: 'Coffee beans, 250 g', ja: 'コーヒー豆 250 g' },
    prices: { AUD: 18_50n, JPY: 1_800n, USD: 12_90n, VND: 295_000n, KES: 1_650_00n },
  },
  cup: {
    names: { en: 'Stoneware cup', ja: '陶器のカップ' },
    prices: { AUD: 24_00n, JPY: 2_400n, USD: 16_50n, VND: 380_000n, KES: 2_100_00n },
  },
  sticker: {
    names: { en: 'Sticker', ja: 'ステッカー' },
    prices: { AUD: 2_95n, JPY: 300n, USD: 1_95n, VND: 45_000n, KES: 250_00n },
  },
  machine: {
    names: { en: 'Espresso machine', ja: 'エスプレッソマシン' },
    prices: { AUD: 1_899_00n, JPY: 189_000n, USD: 1_249_00n, VND: 29_900_000n, KES: 159_000_00n },
  },
} satisfies Readonly<Record<string, { names: Names; prices: Prices }>>

export type Sku = keyof typeof ITEMS
export const SKUS = Object.keys(ITEMS) as [Sku, ...Sku[]]

/** Returns all items for sale, with their prices in every currency. */
export function catalogue() {
  return {
    currencies: CURRENCIES,
    items: SKUS.map((sku) => ({
      sku,
      names: ITEMS[sku].names,
      prices: CURRENCIES.map((currency) => amountOf(ITEMS[sku].prices[currency], currency)),
    })),
  }
}

/** Returns the total of a basket. */
export function totalOf(lines: readonly Line[], currency: Currency): Amount {
  const units = lines.reduce((sum, { sku, quantity }) => sum + ITEMS[sku].prices[currency] * BigInt(quantity), 0n)
  return amountOf(units, currency)
}

/** Returns the description of an order that the payer reads on the hosted page. */
export function describe(lines: readonly Line[], language: Language): string {
  return lines.map(({ sku, quantity }) => `${quantity} × ${ITEMS[sku].names[language]}`).join(', ')
}

function amountOf(units: bigint, currency: Currency): Amount {
  const exponent = EXPONENTS[currency]
  const digits = units.toString().padStart(exponent + 1, '0')
  const value = exponent === 0 ? digits : `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`
  return { value, currency, exponent }
}

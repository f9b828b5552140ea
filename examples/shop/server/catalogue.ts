/** The things for sale, their prices, and amounts in them. */

/** Digits after the decimal point of each currency that the shop sells in. */
const EXPONENTS = { AUD: 2, JPY: 0, USD: 2, VND: 0, KES: 2, KRW: 0, THB: 2, IDR: 2, MYR: 2, BRL: 2 } as const

export type Currency = keyof typeof EXPONENTS
export const CURRENCIES = Object.keys(EXPONENTS) as [Currency, ...Currency[]]

/** The languages of the shop. */
export const LANGUAGES = ['en', 'ja', 'ko', 'zh-Hans', 'vi', 'th', 'id', 'ms', 'es', 'pt', 'fr'] as const
export type Language = (typeof LANGUAGES)[number]

/** An exact amount, in the form that the graph uses. */
export type Amount = { readonly value: string; readonly currency: string; readonly exponent: number }

/** One line of the basket. */
export type Line = { readonly sku: Sku; readonly quantity: number }

type Names = Readonly<Record<Language, string>>
/** Unit price in the smallest unit of each currency: sums of integers are exact, unlike sums of floats. */
type Prices = Readonly<Record<Currency, bigint>>

/** Returns the names of a thing, in the order of the languages. */
function namesOf(...names: string[]): Names {
  return Object.fromEntries(LANGUAGES.map((language, index) => [language, names[index] ?? ''])) as Names
}

/** Returns the prices of a thing, in the order of the currencies. */
function pricesOf(...prices: bigint[]): Prices {
  return Object.fromEntries(CURRENCIES.map((currency, index) => [currency, prices[index] ?? 0n])) as Prices
}

const ITEMS = {
  beans: {
    names: namesOf(
      'Coffee beans, 250 g',
      'コーヒー豆 250 g',
      '원두 250 g',
      '咖啡豆 250 克',
      'Cà phê hạt 250 g',
      'เมล็ดกาแฟ 250 กรัม',
      'Biji kopi 250 g',
      'Biji kopi 250 g',
      'Café en grano, 250 g',
      'Café em grãos, 250 g',
      'Café en grains, 250 g',
    ),
    prices: pricesOf(18_50n, 1_800n, 12_90n, 295_000n, 1_650_00n, 17_000n, 420_00n, 195_000_00n, 55_00n, 65_00n),
  },
  cup: {
    names: namesOf(
      'Stoneware cup',
      '陶器のカップ',
      '도자기 컵',
      '陶瓷杯',
      'Cốc sứ',
      'แก้วเซรามิก',
      'Cangkir keramik',
      'Cawan seramik',
      'Taza de gres',
      'Caneca de cerâmica',
      'Tasse en grès',
    ),
    prices: pricesOf(24_00n, 2_400n, 16_50n, 380_000n, 2_100_00n, 22_000n, 550_00n, 260_000_00n, 72_00n, 84_00n),
  },
  sticker: {
    names: namesOf(
      'Sticker',
      'ステッカー',
      '스티커',
      '贴纸',
      'Nhãn dán',
      'สติกเกอร์',
      'Stiker',
      'Pelekat',
      'Pegatina',
      'Adesivo',
      'Autocollant',
    ),
    prices: pricesOf(2_95n, 300n, 1_95n, 45_000n, 250_00n, 2_700n, 65_00n, 30_000_00n, 8_50n, 9_90n),
  },
  machine: {
    names: namesOf(
      'Espresso machine',
      'エスプレッソマシン',
      '에스프레소 머신',
      '意式咖啡机',
      'Máy pha espresso',
      'เครื่องชงเอสเปรสโซ',
      'Mesin espresso',
      'Mesin espreso',
      'Cafetera espresso',
      'Máquina de espresso',
      'Machine à expresso',
    ),
    prices: pricesOf(
      1_899_00n,
      189_000n,
      1_249_00n,
      29_900_000n,
      159_000_00n,
      1_750_000n,
      42_900_00n,
      19_900_000_00n,
      5_690_00n,
      6_590_00n,
    ),
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

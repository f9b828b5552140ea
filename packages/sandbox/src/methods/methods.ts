import { ExactNumber, type ExactJson } from 'payments-subgraph-lib/exact-json'
import { compareDecimals, decimal, roundToWhole, type Decimal } from '../values/decimal.ts'
import type { Fields } from '../values/request-fields.ts'

/**
 * How a payment by a method proceeds: cards are authorised first, mobile money waits for a prompt, the others arrive
 * directly.
 */
export type MethodKind = 'card' | 'alias' | 'transfer' | 'mobile_money'

/** One payin method of the sandbox's catalogue. */
export type Method = {
  readonly currency: string
  readonly code: string
  readonly name: string
  readonly kind: MethodKind
  readonly min: Decimal
  readonly max: Decimal
  readonly languages: readonly string[]
  /** Mobile networks on which the method works; the names are the sandbox's own. */
  readonly networks?: readonly string[]
}

type Row = readonly [
  code: string,
  name: string,
  kind: MethodKind,
  limits: readonly [min: string, max: string],
  networks?: readonly string[],
]

const ROWS: Readonly<Record<string, { languages: readonly string[]; methods: readonly Row[] }>> = {
  AUD: {
    languages: ['en'],
    methods: [
      ['au_card_aud', 'Card', 'card', ['1', '25000']],
      ['au_alias_npp_aud', 'Bank transfer by alias', 'alias', ['1', '50000']],
    ],
  },
  NZD: { languages: ['en'], methods: [['nz_card_nzd', 'Card', 'card', ['1', '10000']]] },
  HKD: { languages: ['en', 'zh'], methods: [['hk_card_hkd', 'Card', 'card', ['10', '10000']]] },
  JPY: {
    languages: ['ja', 'en'],
    methods: [
      ['jp_bank_jpy', 'Bank transfer', 'transfer', ['500', '1000000']],
      ['jp_card_jpy', 'Card', 'card', ['100', '1000000']],
    ],
  },
  USD: {
    languages: ['en', 'km'],
    methods: [
      ['us_card_usd', 'Card', 'card', ['1', '10000']],
      ['kh_khqr_usd', 'KHQR', 'transfer', ['1', '5000']],
    ],
  },
  KRW: { languages: ['ko', 'en'], methods: [['kr_bank_krw', 'Bank transfer', 'transfer', ['10000', '50000000']]] },
  INR: { languages: ['en', 'hi'], methods: [['in_upi_inr', 'UPI', 'transfer', ['100', '100000']]] },
  MYR: {
    languages: ['en', 'ms'],
    methods: [
      ['my_bank_fpx_myr', 'FPX', 'transfer', ['10', '30000']],
      ['my_bank_duitnow_myr', 'DuitNow', 'transfer', ['10', '30000']],
      ['my_ewallet_touchngo_myr', "Touch 'n Go wallet", 'transfer', ['10', '5000']],
      ['my_ewallet_boost_myr', 'Boost wallet', 'transfer', ['10', '5000']],
      ['my_ewallet_shopee_myr', 'Shopee wallet', 'transfer', ['10', '5000']],
      ['my_ewallet_grabpay_myr', 'Grab wallet', 'transfer', ['10', '5000']],
    ],
  },
  PHP: {
    languages: ['en', 'fil'],
    methods: [
      ['ph_bank_php', 'Bank transfer', 'transfer', ['100', '50000']],
      ['ph_bank_maya_php', 'Maya', 'transfer', ['100', '50000']],
      ['ph_ewallet_gcash_php', 'GCash', 'transfer', ['100', '50000']],
      ['ph_qrph_php', 'QR Ph', 'transfer', ['100', '50000']],
    ],
  },
  IDR: {
    languages: ['id', 'en'],
    methods: [
      ['id_bank_qris_idr', 'QRIS', 'transfer', ['10000', '10000000']],
      ['id_ewallet_dana_idr', 'DANA', 'transfer', ['10000', '20000000']],
    ],
  },
  VND: {
    languages: ['vi', 'en'],
    methods: [
      ['vn_vietqr_vnd', 'VietQR', 'transfer', ['10000', '500000000']],
      ['vn_other_vietqr_vnd', 'VietQR, other banks', 'transfer', ['10000', '500000000']],
      ['vn_ewallet_momo_vnd', 'MoMo', 'transfer', ['10000', '50000000']],
    ],
  },
  THB: { languages: ['th', 'en'], methods: [['th_qrpay_thb', 'QR payment', 'transfer', ['100', '200000']]] },
  CAD: { languages: ['en', 'fr'], methods: [['ca_interac_cad', 'Interac', 'transfer', ['10', '10000']]] },
  BRL: { languages: ['pt', 'en'], methods: [['br_pix_brl', 'Pix', 'transfer', ['5', '50000']]] },
  ZAR: { languages: ['en'], methods: [['sa_eft_zar', 'EFT', 'transfer', ['10', '100000']]] },
  NGN: { languages: ['en'], methods: [['ng_bank_ngn', 'Bank transfer', 'transfer', ['500', '5000000']]] },
  KES: {
    languages: ['en', 'sw'],
    methods: [['ke_mobile_money_kes', 'Mobile money', 'mobile_money', ['100', '150000']]],
  },
  GHS: { languages: ['en'], methods: [['gh_mobile_money_ghs', 'Mobile money', 'mobile_money', ['5', '15000']]] },
  MWK: {
    languages: ['en'],
    methods: [
      ['mw_mobile_money_mwk', 'Mobile money', 'mobile_money', ['2000', '750000'], ['airtel', 'tnm']],
      ['mw_bank_mwk', 'Bank transfer', 'transfer', ['2000', '5000000']],
    ],
  },
  BWP: {
    languages: ['en'],
    methods: [
      ['bw_bank_bwp', 'Bank transfer', 'transfer', ['10', '50000']],
      ['bw_mobile_money_bwp', 'Mobile money', 'mobile_money', ['10', '10000']],
    ],
  },
  XAF: {
    languages: ['fr', 'en'],
    methods: [['cm_mobile_money_xaf', 'Mobile money', 'mobile_money', ['500', '1000000']]],
  },
  XOF: {
    languages: ['fr', 'en'],
    methods: [['ci_mobile_money_xof', 'Mobile money', 'mobile_money', ['200', '1500000']]],
  },
}

/** The currencies of the v3 method list (docs/payments-api.md, section 2.5), in its order. */
export const CATALOGUE_CURRENCIES: readonly string[] = Object.keys(ROWS)

/**
 * Every method of the v3 list (docs/payments-api.md, section 2.5). Parts that the document masks come from the gap sheet,
 * section 28. The limits are plausible values of the sandbox's own; only the card maximum of NZD and HKD and the minimum of
 * MWK are documented (docs/payments-api.md, section 8).
 */
const METHODS: readonly Method[] = Object.entries(ROWS).flatMap(([currency, { languages, methods }]) =>
  methods.map(([code, name, kind, [min, max], networks]) => ({
    currency,
    code,
    name,
    kind,
    min: decimal(min),
    max: decimal(max),
    languages,
    ...(networks === undefined ? {} : { networks }),
  })),
)

/** The methods of some currencies, in the order of the catalogue. */
export function methodsOf(currencies: readonly string[]): Method[] {
  return METHODS.filter((method) => currencies.includes(method.currency))
}

/** Returns the method with this code in any currency. */
export function methodByCode(code: string): Method | undefined {
  return METHODS.find((method) => method.code === code)
}

/** Whether a method accepts this amount; both limits are inclusive. */
export function accepts(method: Method, amount: Decimal): boolean {
  return compareDecimals(amount, method.min) >= 0 && compareDecimals(amount, method.max) <= 0
}

/** Whether the payments API records amounts of this currency in whole units (docs/payments-api.md, section 1, rule 1). */
export function isZeroDecimal(currency: string): boolean {
  return ZERO_DECIMAL.has(currency)
}

/** Returns the amount that the payments API records for a submitted amount (docs/payments-api.md, section 1, rules 1 and 2). */
export function recordedAmount(amount: Decimal, currency: string): Decimal {
  return isZeroDecimal(currency) ? roundToWhole(amount) : amount
}

const ZERO_DECIMAL: ReadonlySet<string> = new Set(['VND', 'JPY', 'XAF', 'KRW', 'XOF'])

/** The methods of the v2 interface for some currencies. Only v3 has cards for NZD and HKD (docs/payments-api.md, 9). */
export function payinMethodsOf(currencies: readonly string[]): Method[] {
  return [...methodsOf(currencies), ...V2_ONLY.filter((method) => currencies.includes(method.currency))].filter(
    (method) => !V3_ONLY.has(method.currency),
  )
}

/** The only method that accepts a request without an amount (gap sheet, section 9). */
export const OPEN_AMOUNT_METHOD = 'usdc_bank'

/** The symbol of a currency (gap sheet, section 8). */
export function symbolOf(currency: string): string {
  return SYMBOLS[currency] ?? currency
}

const V3_ONLY: ReadonlySet<string> = new Set(['NZD', 'HKD'])

/** Gap sheet, section 28; the limits are the sandbox's own. */
const V2_ONLY: readonly Method[] = [
  {
    currency: 'ARS',
    code: 'ar_bank_ars',
    name: 'Bank transfer',
    kind: 'transfer',
    min: decimal('1000'),
    max: decimal('5000000'),
    languages: ['es', 'en'],
  },
  {
    currency: 'USDC',
    code: OPEN_AMOUNT_METHOD,
    name: 'USDC transfer',
    kind: 'transfer',
    min: decimal('10'),
    max: decimal('100000'),
    languages: ['en'],
  },
]

/** The currencies that have direct payins alone. */
export const DIRECT_CURRENCIES: readonly string[] = V2_ONLY.map(({ currency }) => currency)

const SYMBOLS: Readonly<Record<string, string>> = {
  AUD: '$',
  JPY: '¥',
  USD: '$',
  KRW: '₩',
  INR: '₹',
  MYR: 'RM',
  PHP: '₱',
  IDR: 'Rp',
  VND: '₫',
  THB: '฿',
  CAD: '$',
  BRL: 'R$',
  ZAR: 'R',
  NGN: '₦',
  GHS: '₵',
  BWP: 'P',
  MWK: 'MK',
  KES: 'KSh',
  XAF: 'FCFA',
  XOF: 'CFA',
  ARS: '$',
}

/**
 * Descriptors by name, as the payments API writes them: `<type>:<Mandatory or Optional> <free label>` (gap sheet, section 8).
 */
export type Descriptors = Readonly<Record<string, string>>

/**
 * Adds a problem for each field of the object under `name` that is missing or wrong by these descriptors. Returns the values
 * unchanged.
 */
export function checkParams(fields: Fields, name: string, rules: ParamRules): Record<string, ExactJson> {
  const params = fields.requiredObject(name)
  if (params === undefined) return {}
  for (const [param, descriptor] of Object.entries(rules.descriptors)) {
    const [type = '', requirement = ''] = descriptor.split(/[: ]/)
    const value = params.optional(param)
    if (value === undefined) {
      if (requirement === 'Mandatory') params.required(param)
    } else if (!isOfType(value, type, rules)) params.fail(param, `must be a ${type}`)
    else if (typeof value === 'string') noteText(params, param, value, { requirement, shape: rules.shapes?.[param] })
  }
  return Object.fromEntries(params.names.map((param) => [param, params.optional(param) ?? null]))
}

export type ParamRules = {
  descriptors: Descriptors
  /** Additional patterns for text values. */
  shapes?: Readonly<Record<string, RegExp>>
  /** Accepts a number where a text is required. */
  takesNumbers?: boolean
}

function isOfType(value: ExactJson, type: string, { takesNumbers = false }: ParamRules): boolean {
  if (type === 'boolean') return typeof value === 'boolean'
  return typeof value === 'string' || (takesNumbers && value instanceof ExactNumber)
}

type TextRule = { requirement: string; shape: RegExp | undefined }

function noteText(params: Fields, param: string, text: string, { requirement, shape }: TextRule): void {
  if (requirement === 'Mandatory') params.text(param)
  if (shape !== undefined && !shape.test(text)) params.fail(param, 'is invalid')
}

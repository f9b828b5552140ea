import { decimal } from '../values/decimal.ts'
import { methodsOf, type Method } from './methods.ts'

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

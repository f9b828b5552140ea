import { type Descriptors, OPEN_AMOUNT_METHOD } from '../methods/methods.ts'
import { maskedTarget } from '../payments/payment-object.ts'
import { type PayoutStatus, type PayoutTransaction, type Payout, totalAmount } from '../state/payout.ts'
import { addDecimals, decimal, type Decimal, decimalText, wireTime } from '../values/decimal.ts'

/** The transactions of a batch that failed. */
function failedTransactions({ transactions }: Pick<Payout, 'transactions'>): PayoutTransaction[] {
  return transactions.filter(({ status }) => status === 'failed')
}

/** The record of a payout in responses and webhooks (gap sheet, section 19). `status` overrides the actual status. */
export function payoutRecord(payout: Payout, status: PayoutStatus = payout.status): object {
  const { request, error } = payout
  return {
    ...(payout.v1 === undefined ? { payout_method_name: request.methodCode } : v1Fields(payout, payout.v1)),
    uuid: payout.uuid,
    currency: payout.currency,
    description: request.description,
    total_amount: decimalText(totalAmount(payout)),
    status,
    webhook_notification: maskedTarget(request.target),
    scheduled_at: request.scheduledAt === undefined ? null : wireTime(request.scheduledAt),
    payout_transactions: payout.transactions.map((transaction) => transactionRecord(transaction, payout)),
    error_code: error?.code ?? null,
    error_message: error?.message ?? null,
    external_id: request.externalId,
    created_at: wireTime(payout.createdAt),
  }
}

/** What the record of a v1 payout adds (gap sheet, section 20). What was not paid out is refunded. */
function v1Fields(payout: Payout, { number, isRetry }: NonNullable<Payout['v1']>): object {
  const failed = failedTransactions(payout)
  return {
    id: number,
    is_retry: isRetry,
    total_refund: decimalText(failed.map(({ amount }) => amount).reduce(addDecimals, decimal('0'))),
    total_failed_transactions: failed.length,
  }
}

function transactionRecord(transaction: PayoutTransaction, { v1, createdAt }: Payout): object {
  const { params, externalId } = transaction
  return {
    uuid: transaction.uuid,
    balance_id: transaction.balanceId,
    payee: transaction.payee,
    amount: decimalText(transaction.amount, 2),
    ...(v1 === undefined ? { external_id: externalId, payout_method_params: params } : { payid: null, ...params }),
    status: transaction.status,
    error_message: transaction.errorMessage,
    created_at: wireTime(createdAt),
  }
}

/** A bank as the required fields of a payout method list it (gap sheet, section 17). */
type Bank = { readonly code: string; readonly name: string; readonly shortName: string | null }

/** Returns the banks of a currency; two fictional banks when none are known. */
function banksOf(currency: string): readonly Bank[] {
  const rows = ROWS[currency] ?? [
    [`${currency}001`, 'First Sandbox Bank', 'First'],
    [`${currency}002`, 'Second Sandbox Bank', null],
  ]
  return rows.map(([code, name, shortName]) => ({ code, name, shortName }))
}

type Row = readonly [code: string, name: string, shortName: string | null]

const ROWS: Readonly<Record<string, readonly Row[]>> = {
  JPY: [
    ['0001', 'First Sandbox Bank', 'First'],
    ['0005', 'Second Sandbox Bank', null],
  ],
  VND: [
    ['970436', 'Vietcombank', 'VCB'],
    ['970415', 'VietinBank', 'CTG'],
    ['970418', 'BIDV', null],
  ],
  IDR: [
    ['BMRIIDJA', 'Bank Mandiri', 'Mandiri'],
    ['CENAIDJA', 'Bank Central Asia', 'BCA'],
  ],
  PHP: [
    ['600', 'First Sandbox Bank', 'First'],
    ['601', 'Second Sandbox Bank', null],
  ],
}

/** One payout method of the sandbox's catalogue. */
export type PayoutMethod = {
  readonly currency: string
  readonly code: string
  readonly description: string
  readonly min: Decimal
  readonly max: Decimal
  readonly descriptors: Descriptors
  /** The values that `bank_code` accepts; empty for methods without a bank. */
  readonly banks: readonly Bank[]
}

/** The payout methods of some currencies, in the order of the catalogue. */
export function payoutMethodsOf(currencies: readonly string[]): PayoutMethod[] {
  return METHODS.filter((method) => currencies.includes(method.currency))
}

const ACCOUNT: Descriptors = {
  account_number: 'string:Mandatory Account number',
  account_name: 'string:Mandatory Account name',
}
const BANK: Descriptors = { ...ACCOUNT, bank_code: 'string:Mandatory Bank code' }

const DESCRIPTORS: Readonly<Record<string, Descriptors>> = {
  au_bank_aud: { ...ACCOUNT, bsb: 'string:Mandatory Bank-state-branch number' },
  jp_bank_jpy: { ...BANK, branch_code: 'string:Mandatory Branch code' },
  id_bank_idr: { ...BANK, description: 'string:Optional Description' },
}

/** Matches bank methods, as opposed to wallets and mobile money. */
const NEEDS_BANK = /^[a-z]{2}_bank_/

type Limits = readonly [min: string, max: string]

/** Codes by currency (gap sheet, section 28; payments-api.md, section 2.6). The limits are the sandbox's own. */
const CODES: Readonly<Record<string, { limits: Limits; codes: readonly string[] }>> = {
  AUD: { limits: ['1', '100000'], codes: ['au_bank_aud'] },
  JPY: { limits: ['500', '3000000'], codes: ['jp_bank_jpy'] },
  KRW: { limits: ['10000', '50000000'], codes: ['kr_bank_krw'] },
  VND: { limits: ['50000', '500000000'], codes: ['vn_bank_vnd'] },
  PHP: { limits: ['200', '50000'], codes: ['ph_bank_php', 'ph_bank_maya_php', 'ph_ewallet_gcash_php'] },
  IDR: { limits: ['10000', '100000000'], codes: ['id_bank_idr'] },
  MYR: {
    limits: ['10', '30000'],
    codes: [
      'my_bank_myr',
      'my_ewallet_touchngo_myr',
      'my_ewallet_finexus_myr',
      'my_ewallet_boost_myr',
      'my_ewallet_bigpay_myr',
      'my_ewallet_shopee_myr',
      'my_ewallet_gxbank_myr',
      'my_ewallet_merchantrade_myr',
    ],
  },
  THB: { limits: ['100', '500000'], codes: ['th_bank_thb'] },
  BRL: { limits: ['5', '50000'], codes: ['br_bank_brl'] },
  ZAR: { limits: ['10', '100000'], codes: ['sa_bank_zar'] },
  NGN: { limits: ['500', '5000000'], codes: ['ng_bank_ngn'] },
  KES: { limits: ['100', '150000'], codes: ['ke_bank_kes', 'ke_mobile_money_kes'] },
  GHS: { limits: ['5', '15000'], codes: ['gh_mobile_money_ghs'] },
  XAF: { limits: ['500', '1000000'], codes: ['cm_mobile_money_xaf'] },
  XOF: { limits: ['200', '1500000'], codes: ['ci_mobile_money_xof'] },
  USDC: { limits: ['10', '100000'], codes: [OPEN_AMOUNT_METHOD] },
}

const METHODS: readonly PayoutMethod[] = Object.entries(CODES).flatMap(
  ([
    currency,
    {
      limits: [min, max],
      codes,
    },
  ]) =>
    codes.map((code) => {
      const descriptors = DESCRIPTORS[code] ?? (NEEDS_BANK.test(code) ? BANK : ACCOUNT)
      const banks = descriptors['bank_code'] === undefined ? [] : banksOf(currency)
      return { currency, code, description: describe(code), min: decimal(min), max: decimal(max), descriptors, banks }
    }),
)

function describe(code: string): string {
  return code.includes('_bank_') ? 'Bank transfer' : code.includes('mobile_money') ? 'Mobile money' : 'Wallet'
}

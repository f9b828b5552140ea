import { z } from 'zod'
import type { PayoutBank, PayoutMethod } from '../../../domain/payouts/payout-method.ts'
import {
  PAYOUT_STATUSES,
  type PayoutPayee,
  type PayoutReport,
  type PayoutTransaction,
} from '../../../domain/payouts/payout-report.ts'
import type { ExactJson } from '../../../lib/exact-json.ts'
import { readDirectMethodEntry } from '../methods/direct-method.ts'
import { toPayinMethod } from '../methods/wire-payin-method.ts'
import { readEndpointUrl } from '../payments/wire-payment.ts'
import { maskedNumber } from '../values/mask.ts'
import {
  currency,
  decimal,
  instant,
  isRecord,
  label,
  lenient,
  section,
  status,
  text,
  usableMethodCode,
  uuid,
} from '../values/wire-fields.ts'

const DESCRIPTION_LENGTH = 500
const MESSAGE_LENGTH = 500
const NAME_LENGTH = 255
const REFERENCE_LENGTH = 255
const WORD_LENGTH = 100
const MOST_BANKS = 5_000

const payout = z.object({
  uuid,
  status,
  total_amount: decimal,
  currency,
  payout_method_name: lenient(usableMethodCode),
  description: text(DESCRIPTION_LENGTH),
  external_id: label(REFERENCE_LENGTH),
  scheduled_at: instant,
  error_code: text(WORD_LENGTH),
  error_message: text(MESSAGE_LENGTH),
})

const transaction = z.object({
  uuid,
  amount: decimal,
  status,
  payee: text(NAME_LENGTH),
  // Its fields depend on the method (gap sheet, section 17); of the others none is read.
  payout_method_params: section({ account_number: lenient(maskedNumber), bank_code: label(WORD_LENGTH) }),
  error_message: text(MESSAGE_LENGTH),
  created_at: instant,
})

const bank = z.object({ code: label(WORD_LENGTH), name: text(NAME_LENGTH), short_name: text(NAME_LENGTH) })

/**
 * Reads one batch of payouts (gap sheet, section 19). Null without a usable uuid and status; any other unreadable field is null.
 * Account numbers are masked here, so that no later code can store them.
 */
export function readPayoutReport(json: ExactJson): PayoutReport | null {
  if (!isRecord(json)) return null
  const body = payout.parse(json)
  if (body.uuid === null || body.status === null) return null
  const parts = listIn(json['payout_transactions']).flatMap(transactionOf(body.uuid))
  return {
    id: body.uuid,
    statusRaw: body.status,
    status: PAYOUT_STATUSES.find((known) => known === body.status) ?? null,
    totalAmount: body.total_amount,
    currency: body.currency,
    methodCode: body.payout_method_name,
    description: body.description,
    externalId: body.external_id,
    scheduledAt: body.scheduled_at,
    errorCode: body.error_code,
    errorMessage: body.error_message,
    transactions: parts.map(({ transaction: told }) => told),
    payees: parts.map(({ payee }) => payee),
    endpointUrl: readEndpointUrl(json),
  }
}

/** Reads one entry of the payout methods (docs/payments-api.md, section 2.6); null without a usable code and currency. */
export function readPayoutMethod(json: ExactJson, siteCurrencies: readonly string[]): PayoutMethod | null {
  const entry = readDirectMethodEntry(json, 'payout')
  const method = entry === null ? null : toPayinMethod(entry, siteCurrencies)
  if (method === null) return null
  return {
    code: method.code,
    currency: method.currency,
    countryCode: method.countryCode,
    kind: method.kind,
    kindRaw: method.kindRaw,
  }
}

/** Reads the banks that a payout method supports (gap sheet, section 17); a bank without a code is omitted. */
export function readBanks(json: ExactJson): PayoutBank[] {
  return listIn(isRecord(json) ? json['banks'] : undefined)
    .slice(0, MOST_BANKS)
    .flatMap((entry) => {
      const { code, name, short_name: shortName } = bank.parse(isRecord(entry) ? entry : {})
      return code === null ? [] : { code, name: name ?? code, shortName }
    })
}

function transactionOf(
  payoutId: string,
): (json: ExactJson, index: number) => { transaction: PayoutTransaction; payee: PayoutPayee }[] {
  return (json, index) => {
    if (!isRecord(json)) return []
    const body = transaction.parse(json)
    const id = body.uuid ?? `${payoutId}.${index + 1}`
    const { account_number: accountNumberMasked, bank_code: bankCode } = body.payout_method_params
    const payee = { transactionId: id, name: body.payee, accountNumberMasked, bankCode }
    const { amount, status: statusRaw, error_message: errorMessage, created_at: createdAt } = body
    return [{ transaction: { id, amount, statusRaw, errorMessage, createdAt }, payee }]
  }
}

function listIn(json: ExactJson | undefined): ExactJson[] {
  return Array.isArray(json) ? json : []
}

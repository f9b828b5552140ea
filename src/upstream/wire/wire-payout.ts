import type { ExactJson } from 'payments-subgraph-lib/exact-json'
import {
  type PayoutBank,
  type PayoutMethod,
  PAYOUT_STATUSES,
  type PayoutPayee,
  type PayoutReport,
  type PayoutTransaction,
} from '../../domain/payouts/payout-report.ts'
import {
  V1_CURRENCY,
  V1_METHOD_CODE,
  V1_PAYOUT_NAMES,
  type V1PayoutNames,
  v1PayoutId,
  v1PayoutNumber,
} from '../../domain/payouts/payout-rules.ts'
import {
  type JsonRecord,
  count,
  currency,
  decimalFromWire,
  instantFromWire,
  isRecord,
  label,
  maskedAlias,
  maskedNumber,
  recordReader,
  status,
  text,
  usableMethodCode,
  usableUuid,
} from './values/readers.ts'
import { readDirectMethodEntry, toPayinMethod } from './wire-payin-method.ts'
import { readEndpointUrl } from './wire-payment.ts'

const DESCRIPTION_LENGTH = 500
const MESSAGE_LENGTH = 500
const NAME_LENGTH = 255
const REFERENCE_LENGTH = 255
const WORD_LENGTH = 100
const MOST_BANKS = 5_000

const readPayout = recordReader({
  uuid: usableUuid,
  // Of v1 payouts, as are `total_refund`, `total_failed_transactions`, and the fields of a payee outside its parameters.
  id: label(WORD_LENGTH),
  status,
  total_amount: decimalFromWire,
  total_refund: decimalFromWire,
  total_failed_transactions: count,
  currency,
  payout_method_name: usableMethodCode,
  description: text(DESCRIPTION_LENGTH),
  external_id: label(REFERENCE_LENGTH),
  scheduled_at: instantFromWire,
  error_code: text(WORD_LENGTH),
  error_message: text(MESSAGE_LENGTH),
})

const readTransaction = recordReader({
  uuid: usableUuid,
  amount: decimalFromWire,
  status,
  payee: text(NAME_LENGTH),
  payid: maskedAlias,
  bsb: label(WORD_LENGTH),
  account_number: maskedNumber,
  // Its fields depend on the method (gap sheet, section 17); of the others none is read.
  payout_method_params: recordReader({ account_number: maskedNumber, bank_code: label(WORD_LENGTH) }),
  error_message: text(MESSAGE_LENGTH),
  created_at: instantFromWire,
})

const readBank = recordReader({ code: label(WORD_LENGTH), name: text(NAME_LENGTH), short_name: text(NAME_LENGTH) })

/**
 * Reads one batch of payouts (gap sheet, section 19). Null without a usable uuid and status; any other unreadable field is null.
 * Account numbers are masked here, so that no later code can store them.
 */
export function readPayoutReport(json: ExactJson): PayoutReport | null {
  if (!isRecord(json)) return null
  const body = readPayout(json)
  return body.uuid === null ? null : reportOf(json, body, body.uuid)
}

/**
 * The same for a v1 payout in AUD (gap sheet, section 20), by its number. Null for one in another currency. `names` are those under which
 * its creation was sent, which the record may repeat.
 */
export function readV1PayoutReport(json: ExactJson, names: V1PayoutNames = V1_PAYOUT_NAMES): PayoutReport | null {
  if (!isRecord(json)) return null
  const renamed = {
    ...json,
    external_id: json['external_id'] ?? json[names.externalId] ?? null,
    webhook_notification: json['webhook_notification'] ?? json[names.notification] ?? null,
    payout_transactions: json['payout_transactions'] ?? json[names.transactions] ?? null,
  }
  const body = readPayout(renamed)
  const id = v1PayoutId(body.id ?? '')
  if (v1PayoutNumber(id) === null || (body.currency ?? V1_CURRENCY) !== V1_CURRENCY) return null
  const report = reportOf(renamed, body, id)
  return report && { ...report, currency: V1_CURRENCY, methodCode: V1_METHOD_CODE }
}

/** The fields that the record of a v1 payout adds, besides its number (gap sheet, section 20). */
const OF_V1 = ['total_refund', 'total_failed_transactions'] as const

/**
 * Reads the record in a callback, which says nothing of its version: one that has a number is of v1 if it has a field of v1, or no method of v2.
 * Null for one of v1 whose number is unreadable: under its uuid it would be recorded as a payout of v2, which nothing can read again.
 */
export function readPayoutCallback(json: ExactJson): PayoutReport | null {
  if (!isRecord(json)) return null
  const [hasNumber, hasMethod] = [json['id'] ?? null, json['payout_method_name'] ?? null].map((value) => value !== null)
  if (OF_V1.some((name) => name in json) && (hasNumber || !hasMethod)) return readV1PayoutReport(json)
  return (hasNumber && !hasMethod ? readV1PayoutReport(json) : null) ?? readPayoutReport(json)
}

function reportOf(json: JsonRecord, body: ReturnType<typeof readPayout>, id: string): PayoutReport | null {
  if (body.status === null) return null
  const parts = listIn(json['payout_transactions']).flatMap(transactionOf(id))
  return {
    id,
    statusRaw: body.status,
    status: PAYOUT_STATUSES.find((known) => known === body.status) ?? null,
    totalAmount: body.total_amount,
    totalRefund: body.total_refund,
    failedTransactions: body.total_failed_transactions,
    currency: body.currency,
    methodCode: body.payout_method_name,
    description: body.description,
    reference: body.external_id,
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
      const { code, name, short_name: shortName } = readBank(entry)
      return code === null ? [] : { code, name: name ?? code, shortName }
    })
}

function transactionOf(
  payoutId: string,
): (json: ExactJson, index: number) => { transaction: PayoutTransaction; payee: PayoutPayee }[] {
  return (json, index) => {
    if (!isRecord(json)) return []
    const body = readTransaction(json)
    const id = body.uuid ?? `${payoutId}.${index + 1}`
    const params = body.payout_method_params
    const payee = {
      transactionId: id,
      name: body.payee,
      accountNumberMasked: params.account_number ?? body.account_number,
      payIdMasked: body.payid,
      bankCode: params.bank_code ?? body.bsb,
    }
    const { amount, status: statusRaw, error_message: errorMessage, created_at: createdAt } = body
    return [{ transaction: { id, amount, statusRaw, errorMessage, createdAt }, payee }]
  }
}

function listIn(json: ExactJson | undefined): ExactJson[] {
  return Array.isArray(json) ? json : []
}

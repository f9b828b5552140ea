import type { ExactJson } from 'payments-subgraph-lib/exact-json'
import { z } from 'zod'
import {
  currency,
  decimalFromWire,
  instantFromWire,
  isRecord,
  label,
  recordReader,
  text,
  textFrom,
} from './values/readers.ts'
import { type RequestBody, boundedText, requestBody } from './values/wire-fields.ts'

/** Balances of the merchant's account in one currency, as plain digits. */
export type Balances = {
  /** Upper-case currency code. */
  readonly currency: string
  readonly available: string
  readonly incoming: string
  readonly outgoing: string
  readonly rollingReserve: string
  readonly withdrawable: string
}

const readBalanceFields = recordReader({
  currency,
  available_balance: decimalFromWire,
  incoming_balance: decimalFromWire,
  outgoing_balance: decimalFromWire,
  rolling_reserve_balance: decimalFromWire,
  withdrawable_balance: decimalFromWire,
})

/**
 * Reads the balances in a currency, which the answer need not repeat (gap sheet, section 24). Null if any of the five amounts is
 * unreadable: an unknown balance must not appear as zero.
 */
export function readBalances(json: ExactJson, asked: string): Balances | null {
  if (!isRecord(json)) return null
  const {
    currency: named,
    available_balance: available,
    incoming_balance: incoming,
    outgoing_balance: outgoing,
    rolling_reserve_balance: rollingReserve,
    withdrawable_balance: withdrawable,
  } = readBalanceFields(json)
  if (available === null || incoming === null || outgoing === null) return null
  if (rollingReserve === null || withdrawable === null) return null
  return { currency: named ?? asked, available, incoming, outgoing, rollingReserve, withdrawable }
}

/** One movement of the merchant's balance. Amounts are plain digits; fields that the payments API does not give are null. */
export type PaymentBalanceMovement = {
  readonly id: string
  /** Upper-case currency code. */
  readonly currency: string
  readonly amount: string
  /** As received, e.g. `money_in`. */
  readonly directionRaw: string | null
  /** As received, e.g. `payment`. */
  readonly kindRaw: string | null
  readonly methodRaw: string | null
  readonly statusRaw: string | null
  readonly referenceId: string | null
  readonly outgoing: string | null
  readonly total: string | null
  readonly fees: string | null
  /** ISO 8601 in UTC. */
  readonly createdAt: string | null
}

const ID_LENGTH = 100
const WORD_LENGTH = 100

const readMovement = recordReader({
  id: label(ID_LENGTH),
  amount: decimalFromWire,
  request_type: text(WORD_LENGTH),
  transaction_type: text(WORD_LENGTH),
  currency,
  payment_method: text(WORD_LENGTH),
  status: text(WORD_LENGTH),
  reference_id: label(ID_LENGTH),
  balance_detail: recordReader({ outgoing: decimalFromWire, total: decimalFromWire, fees: decimalFromWire }),
  created_at: instantFromWire,
})

/** Reads one record of the balance history (gap sheet, section 24). Null without an id and an amount. */
export function readBalanceMovement(json: ExactJson, asked: string): PaymentBalanceMovement | null {
  if (!isRecord(json)) return null
  const read = readMovement(json)
  if (read.id === null || read.amount === null) return null
  return {
    id: read.id,
    currency: read.currency ?? asked,
    amount: read.amount,
    directionRaw: read.request_type,
    kindRaw: read.transaction_type,
    methodRaw: read.payment_method,
    statusRaw: read.status,
    referenceId: read.reference_id,
    ...read.balance_detail,
    createdAt: read.created_at,
  }
}

/** The bank account behind a QR payload (docs/payments-api.md, section 2.7). Payer data. */
export type BankAccount = {
  readonly accountName: string
  readonly accountNumber: string
  readonly bankName: string
  readonly swiftCode: string
}

/** The longest text that fits into a QR code. */
const QR_LENGTH = 4_296
const TEXT_LENGTH = 255

const lookup = z.strictObject({
  qr_content: z
    .string()
    .min(1)
    .max(QR_LENGTH)
    .regex(/^\P{Cc}+$/u),
})

/** Builds the body of a look-up (docs/payments-api.md, section 4.7); `faults` names the invalid field. Never throws. */
export function toBankLookupBody(qrContent: string): RequestBody {
  return requestBody(lookup, { qr_content: qrContent })
}

/** A required text that may be empty. */
const possiblyEmpty = (json: unknown) => (typeof json === 'string' ? (textFrom(json, TEXT_LENGTH) ?? '') : null)

const readAccount = recordReader({
  account_name: possiblyEmpty,
  account_number: text(TEXT_LENGTH),
  bank_name: possiblyEmpty,
  swift_code: possiblyEmpty,
})

/** Reads a bank account; null if its number is missing or empty, or if another of its texts is missing. */
export function readBankAccount(json: ExactJson): BankAccount | null {
  if (!isRecord(json)) return null
  const {
    account_name: accountName,
    account_number: accountNumber,
    bank_name: bankName,
    swift_code: swiftCode,
  } = readAccount(json)
  if (accountName === null || accountNumber === null || bankName === null || swiftCode === null) return null
  return { accountName, accountNumber, bankName, swiftCode }
}

/** A deposit to simulate in the sandbox (docs/payments-api.md, section 4.8). */
export type DepositSimulation = {
  /** The treasury account to credit. */
  readonly accountNumber: string
  /** Plain digits; whole units for a JPY account. */
  readonly amount: string
  /** The three remitter fields: half-width katakana for a JPY account. */
  readonly remitterName?: string | null | undefined
  readonly remitterBankName?: string | null | undefined
  readonly remitterBranchName?: string | null | undefined
  readonly remarks?: string | null | undefined
}

const own = boundedText(255)

const deposit = z.strictObject({
  account_number: own,
  amount: z
    .string()
    .max(30)
    .regex(/^(?:0|[1-9]\d*)(?:\.\d+)?$/),
  remitter_name: own.optional(),
  remitter_bank_name: own.optional(),
  remitter_branch_name: own.optional(),
  remarks: own.optional(),
})

/** Builds the body of a deposit, whose amount is a JSON string; `faults` names the invalid fields. Never throws. */
export function toDepositBody(request: DepositSimulation): RequestBody {
  return requestBody(deposit, {
    account_number: request.accountNumber,
    amount: request.amount,
    remitter_name: request.remitterName,
    remitter_bank_name: request.remitterBankName,
    remitter_branch_name: request.remitterBranchName,
    remarks: request.remarks,
  })
}

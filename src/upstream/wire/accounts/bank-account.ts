import { z } from 'zod'
import type { ExactJson } from '../../../lib/exact-json.ts'
import { type RequestBody, requestBody } from '../values/request-schema.ts'
import { isRecord, lenient, text, textFrom } from '../values/wire-fields.ts'

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
const possiblyEmpty = lenient((json) => (typeof json === 'string' ? (textFrom(json, TEXT_LENGTH) ?? '') : null))

const account = z.object({
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
  } = account.parse(json)
  if (accountName === null || accountNumber === null || bankName === null || swiftCode === null) return null
  return { accountName, accountNumber, bankName, swiftCode }
}

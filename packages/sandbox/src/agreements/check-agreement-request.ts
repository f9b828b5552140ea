import { isDay } from 'payments-subgraph-lib/calendar'
import {
  AGREEMENT_TYPES,
  DETAIL_WRAPPERS,
  FREQUENCIES,
  REQUESTABLE_STATUSES,
  type AgreementDetails,
  type AgreementRequest,
  type AgreementTerms,
  PAY_ID_TYPES,
  type Payer,
} from '../state/agreement.ts'
import { decimal } from '../values/decimal.ts'
import {
  BSB,
  Fields,
  type JsonObject,
  type Problems,
  oneOf,
  optionalNumber,
  optionalSizedText,
  positiveNumber,
  requiredTarget,
  sizedText,
  isEmail,
} from '../values/request-fields.ts'

/** Validates the body of an agreement creation (docs/payments-api.md, sections 2.1 to 2.3, 4.1 and 8). */
export function readAgreement(body: JsonObject): { request: AgreementRequest } | { problems: Problems } {
  const fields = new Fields(body)
  const request: AgreementRequest = {
    clientTransactionId: sizedText(fields, 'client_transaction_id', { max: 90 }),
    description: sizedText(fields, 'description', { min: 5, max: 140 }),
    type: oneOf(fields, 'payment_agreement_type', AGREEMENT_TYPES) ?? 'PERSONAL',
    payer: readPayer(fields),
    externalId: optionalSizedText(fields, 'external_id', 255),
    ...readTerms(fields),
  }
  return fields.isClean ? { request } : { problems: fields.problems }
}

/** Validates the body of an amendment (gap sheet, section 14). */
export function readAmendment(body: JsonObject): { id: number; terms: AgreementTerms } | { problems: Problems } {
  const fields = new Fields(body)
  const id = readId(fields)
  const terms = readTerms(fields)
  return fields.isClean ? { id, terms } : { problems: fields.problems }
}

export type StatusRequest = { id: number; status: (typeof REQUESTABLE_STATUSES)[number] }

/** Validates the body of a status change (gap sheet, section 15). */
export function readStatusRequest(body: JsonObject): StatusRequest | { problems: Problems } {
  const fields = new Fields(body)
  const id = readId(fields)
  const status = oneOf(fields, 'status', REQUESTABLE_STATUSES)
  return fields.isClean && status !== undefined ? { id, status } : { problems: fields.problems }
}

const ZERO = decimal('0')
const DATE = /^(\d\d)\/(\d\d)\/(\d\d)$/
const NO_DETAILS: AgreementDetails = { wrapper: 'variable_agreement_details_obj', startDate: '', frequency: 'ADHOC' }

function readTerms(fields: Fields): AgreementTerms {
  return {
    limitAmount: positiveNumber(fields, 'limit_amount') ?? ZERO,
    details: readDetails(fields),
    target: requiredTarget(fields, 'payment_agreement_notification'),
  }
}

function readDetails(fields: Fields): AgreementDetails {
  const details = fields.requiredObject('agreement_details')
  if (details === undefined) return NO_DETAILS
  const [wrapper, ...more] = DETAIL_WRAPPERS.filter((name) => details.optional(name) !== undefined)
  const inner = wrapper && details.optionalObject(wrapper)
  if (more.length > 0 || details.names.length > 1) fields.fail('agreement_details', 'must have one key alone')
  if (wrapper === undefined) fields.fail('agreement_details', 'must have one of the four known keys')
  if (wrapper === undefined || inner === undefined) return NO_DETAILS
  const startDate = inner.text('start_date')
  if (startDate !== '' && !isDate(startDate)) inner.fail('start_date', 'is not a date of the form DD/MM/YY')
  return { wrapper, startDate, frequency: oneOf(inner, 'frequency', FREQUENCIES) ?? 'ADHOC' }
}

/** Rejects text such as `31/02/24`, which has the form of a date but is not a date. */
function isDate(text: string): boolean {
  const [, day, month, year] = DATE.exec(text) ?? []
  return isDay(`20${year}-${month}-${day}`)
}

function readId(fields: Fields): number {
  fields.required('id')
  const id = optionalNumber(fields, 'id')
  if (id !== undefined && id.scale > 0) fields.fail('id', 'must be an integer')
  return Number(id?.units ?? 0n)
}

/**
 * Reads `payer_details` (docs/payments-api.md, section 2.3). The list of required fields there names both the bank account
 * and the alias, but its text requires one of them: either is sufficient, and both are accepted.
 */
function readPayer(fields: Fields): Payer {
  const payer = fields.requiredObject('payer_details')
  if (payer === undefined) return { name: '', bankAccount: undefined, payId: undefined }
  const name = payer.text('name')
  if (name !== '' && !NAME.test(name)) payer.fail('name', 'has other characters than letters, digits and inner spaces')
  const bankAccount = readBankAccount(payer)
  const payId = readPayId(payer)
  if (bankAccount === undefined && payId === undefined) {
    payer.fail('bank_account_details', 'or pay_id_details must be given')
  }
  return { name, bankAccount, payId }
}

/** Includes combining marks, which some scripts need for their letters. */
const NAME = /^[\p{L}\p{M}\p{N} ]*[\p{L}\p{M}\p{N}]$/u

const PAY_ID_SHAPES: Record<(typeof PAY_ID_TYPES)[number], (text: string) => boolean> = {
  EMAIL: isEmail,
  PHONE: (text) => /^\+?\d[\d -]{5,18}$/.test(text),
  ABN: (text) => /^\d{11}$/.test(text.replaceAll(' ', '')),
}

function readBankAccount(payer: Fields): Payer['bankAccount'] {
  const details = payer.optionalObject('bank_account_details')
  if (details === undefined) return undefined
  const bsb = details.text('bsb')
  if (bsb !== '' && !BSB.test(bsb)) details.fail('bsb', 'is not a bank-state-branch number')
  return { bsb, accountNumber: details.text('account_number') }
}

function readPayId(payer: Fields): Payer['payId'] {
  const details = payer.optionalObject('pay_id_details')
  if (details === undefined) return undefined
  const id = details.text('pay_id')
  const type = oneOf(details, 'pay_id_type', PAY_ID_TYPES)
  if (type === undefined) return undefined
  if (id !== '' && !PAY_ID_SHAPES[type](id)) details.fail('pay_id', `is not of the type ${type}`)
  return { id, type }
}

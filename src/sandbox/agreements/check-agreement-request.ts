import { decimal } from '../values/decimal.ts'
import { Fields } from '../values/request-fields.ts'
import type { JsonObject, Problems } from '../values/request-fields.ts'
import {
  oneOf,
  optionalNumber,
  optionalSizedText,
  positiveNumber,
  requiredTarget,
  sizedText,
} from '../values/request-parts.ts'
import { readPayer } from './payer.ts'
import { AGREEMENT_TYPES, DETAIL_WRAPPERS, FREQUENCIES, REQUESTABLE_STATUSES } from './sandbox-agreement.ts'
import type { AgreementDetails, AgreementRequest, AgreementTerms } from './sandbox-agreement.ts'

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
  const [, day, month, year] = (DATE.exec(text) ?? []).map(Number)
  if (day === undefined || month === undefined || year === undefined) return false
  const date = new Date(Date.UTC(2000 + year, month - 1, day))
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

function readId(fields: Fields): number {
  fields.required('id')
  const id = optionalNumber(fields, 'id')
  if (id !== undefined && id.scale > 0) fields.fail('id', 'must be an integer')
  return Number(id?.units ?? 0n)
}

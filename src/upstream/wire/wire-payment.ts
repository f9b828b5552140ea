import { type ExactJson, toPlainJson } from 'payments-subgraph-lib/exact-json'
import {
  type CardDetails,
  type Payer,
  type PaymentDetails,
  type PaymentReport,
  recogniseStatus,
} from '../../domain/payments/payment-report.ts'
import { Secret } from '../../keys/key-ring.ts'
import {
  type JsonRecord,
  type ReadRecord,
  currency,
  decimalFromWire,
  flag,
  instantFromWire,
  isRecord,
  recordReader,
  safeUrl,
  status,
  text,
  textFrom,
  usableMethodCode,
  usableUuid,
} from './values/readers.ts'

const PAYER_LENGTH = 255
const REFERENCE_LENGTH = 255
const WORD_LENGTH = 100
const MESSAGE_LENGTH = 500
const ADDRESS_LENGTH = 2_048

/** A text that people type and search for, in composed letters: systems differ in how they write accents. */
const readTyped =
  (length: number) =>
  (json: unknown): string | null =>
    textFrom(typeof json === 'string' ? json.slice(0, 2 * length).normalize() : json, length)

/** The fields of the flat object; the nested form has them in `transaction_info`. */
const transaction = {
  uuid: usableUuid,
  status,
  name: readTyped(PAYER_LENGTH),
  email: readTyped(PAYER_LENGTH),
  external_id: readTyped(REFERENCE_LENGTH),
  currency,
  amount: decimalFromWire,
  total: decimalFromWire,
  paid_amount: decimalFromWire,
  is_refundable: flag,
  gst: flag,
  gst_amount: decimalFromWire,
  payment_method: text(WORD_LENGTH),
  payin_method_code: text(WORD_LENGTH),
  payin_method_name: usableMethodCode,
  expired_at: instantFromWire,
  expires_at: instantFromWire,
  expried_at: instantFromWire,
  created_at: instantFromWire,
  pay_code: recordReader({
    '3ds_url': safeUrl,
    error_code: text(WORD_LENGTH),
    error_message: text(MESSAGE_LENGTH),
  }),
  refund_information: recordReader({
    total_amount: decimalFromWire,
    refund_amount: decimalFromWire,
    description: text(MESSAGE_LENGTH),
  }),
  token: recordReader({ id: text(WORD_LENGTH) }),
  sender_details: recordReader({
    card: recordReader({
      card_brand: text(WORD_LENGTH),
      card_type: text(WORD_LENGTH),
      card_last_4: (json: unknown) => (typeof json === 'string' && /^\d{4}$/.test(json) ? json : null),
      card_country: text(WORD_LENGTH),
    }),
  }),
}

const readPayment = recordReader({
  ...transaction,
  transaction_info: recordReader(transaction),
  sender_info: recordReader({
    email: readTyped(PAYER_LENGTH),
    first_name: readTyped(PAYER_LENGTH),
    last_name: readTyped(PAYER_LENGTH),
  }),
  meta_data: recordReader({ external_id: readTyped(REFERENCE_LENGTH) }),
  metadata: recordReader({ external_id: readTyped(REFERENCE_LENGTH) }),
})

type Transaction = ReadRecord<typeof transaction>
type Sender = ReturnType<typeof readPayment>['sender_info']

/**
 * Reads one payment: the flat object of docs/payments-api.md, section 6.2, or the nested link form of the gap sheet, section
 * 25.2, where the payment is in `transaction_info`. A link without a payment is returned as its own report. Null without a usable
 * uuid and status; any other unreadable field is null. `authorization_header` is our own secret, and is not read.
 */
export function readPaymentReport(json: ExactJson): PaymentReport | null {
  if (!isRecord(json)) return null
  const body = readPayment(json)
  const inner = body.transaction_info
  const paymentId = inner.uuid ?? body.uuid
  const statusRaw = inner.status ?? body.status
  if (paymentId === null || statusRaw === null) return null
  const both = isRecord(json['transaction_info']) ? merged(inner, body) : body
  const recognised = recogniseStatus(statusRaw)
  // In a failed payment, `pay_code` contains the reason of the failure, not instructions.
  const hasFailed = recognised === 'failed' || both.pay_code.error_code !== null
  return {
    paymentId,
    linkId: isLink(json) ? body.uuid : null,
    statusRaw,
    status: recognised,
    details: {
      ...detailsOf(both),
      reference: both.external_id ?? body.meta_data.external_id ?? body.metadata.external_id,
      instructions: hasFailed ? null : readInstructions(payCodeOf(json)),
    },
    payer: payerOf(both, body.sender_info),
    refundDescription: both.refund_information.description,
    ...(both.token.id === null ? {} : { cardToken: new Secret(both.token.id) }),
  }
}

const notification = recordReader({ endpoint_url: text(ADDRESS_LENGTH) })
const readHolders = recordReader({
  webhook_notification: notification,
  payin_notification: notification,
  payment_request_notification: notification,
  payment_agreement_notification: notification,
})

/** Returns the webhook URL that a record was created with, under any of its known field names (gap sheet, C9); or null. */
export function readEndpointUrl(json: ExactJson): string | null {
  const holders = readHolders(json)
  return (
    holders.webhook_notification.endpoint_url ??
    holders.payin_notification.endpoint_url ??
    holders.payment_request_notification.endpoint_url ??
    holders.payment_agreement_notification.endpoint_url
  )
}

/** Only a link has the URL of its page, or contains its payment. */
function isLink(json: JsonRecord): boolean {
  const addresses = [json['payment_url'], json['payment_link_url']]
  return isRecord(json['transaction_info']) || addresses.some((address) => typeof address === 'string')
}

/** Fields missing in the inner object are taken from the outer one. */
function merged(inner: Transaction, outer: Transaction): Transaction {
  const said = Object.entries(inner).filter(([, value]) => value !== null && !isEmptySection(value))
  return { ...outer, ...Object.fromEntries(said) }
}

function isEmptySection(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((entry) => entry === null || isEmptySection(entry))
  )
}

function payCodeOf(json: JsonRecord): ExactJson | undefined {
  const inner = json['transaction_info']
  return (isRecord(inner) ? inner['pay_code'] : null) ?? json['pay_code']
}

function detailsOf(said: Transaction): Omit<PaymentDetails, 'reference' | 'instructions'> {
  return {
    currency: said.currency,
    amount: said.amount,
    total: said.total,
    paid: said.paid_amount,
    refunded: said.refund_information.refund_amount,
    refundTotal: said.refund_information.total_amount,
    refundable: said.is_refundable,
    gst: said.gst,
    gstAmount: said.gst_amount,
    methodRaw: said.payment_method ?? said.payin_method_code ?? said.payin_method_name,
    card: cardOf(said.sender_details.card),
    threeDsUrl: said.pay_code['3ds_url'],
    failureCode: said.pay_code.error_code,
    failureMessage: said.pay_code.error_message,
    expiresAt: said.expired_at ?? said.expires_at ?? said.expried_at,
    createdAt: said.created_at,
  }
}

function cardOf(card: Transaction['sender_details']['card']): CardDetails | null {
  if (isEmptySection(card)) return null
  return {
    brand: card.card_brand,
    type: card.card_type,
    last4: card.card_last_4,
    countryCode: card.card_country,
  }
}

function payerOf(said: Transaction, sender: Sender): Payer {
  const fullName = [sender.first_name, sender.last_name].filter((part) => part !== null).join(' ')
  return {
    name: said.name ?? (fullName === '' ? null : fullName.slice(0, PAYER_LENGTH)),
    email: said.email ?? sender.email,
  }
}

/** These keys are read into fields of their own. */
const READ_ELSEWHERE = new Set(['3ds_url', 'error_code', 'error_message'])

/** Credentials are never shown to a customer, at whatever level they appear. */
const CREDENTIALS = new Set(['token', 'authorization_header', 'card_token_id'])

const DEEPEST = 5
const MOST_ENTRIES = 50
const KEY_LENGTH = 100
/** Limit for texts; QR payloads and redirect URLs are the longest. */
const TEXT_LENGTH = 4_000

/**
 * Reads the payment instructions for the customer: the entries of `pay_code` under the payments API's own names, as plain JSON; a
 * plain string is returned under `pay_code`. Null if there is nothing to show. Source: gap sheet, sections 9 and 25, and C6.
 */
function readInstructions(payCode: ExactJson | undefined): Readonly<Record<string, unknown>> | null {
  const entries = isRecord(payCode) ? payCode : typeof payCode === 'string' ? { pay_code: payCode } : {}
  const shown = Object.fromEntries(Object.entries(entries).filter(([key]) => !READ_ELSEWHERE.has(key)))
  const clean = toPlainJson(cleaned(shown, 1)) as Record<string, unknown>
  return Object.values(clean).every((value) => value === null) ? null : clean
}

/** Removes credentials and limits the size: a hostile body must not fill the store. */
function cleaned(json: ExactJson, depth: number): ExactJson {
  if (typeof json === 'string') return textFrom(json, TEXT_LENGTH)
  if (depth > DEEPEST) return typeof json === 'object' && (isRecord(json) || Array.isArray(json)) ? null : json
  if (Array.isArray(json)) return json.slice(0, MOST_ENTRIES).map((entry) => cleaned(entry, depth + 1))
  if (!isRecord(json)) return json
  const kept = Object.entries(json).filter(([key]) => !CREDENTIALS.has(key) && key.length <= KEY_LENGTH)
  return Object.fromEntries(kept.slice(0, MOST_ENTRIES).map(([key, value]) => [key, cleaned(value, depth + 1)]))
}

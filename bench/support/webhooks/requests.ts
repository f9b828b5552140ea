import { randomUUID } from 'node:crypto'
import { sign } from 'payments-subgraph-sandbox'
import { SIGNATURE_HEADER } from '../../../src/webhooks/signature.ts'
import { jsonPost } from '../http/message.ts'
import { WEBHOOK_SECRET } from '../processes.ts'

/** Statuses of a payment, in order; each status is one webhook. */
export const STATUSES = ['pending', 'authorised', 'waiting', 'received'] as const

export const WEBHOOK_PATH = '/webhooks/payments'

/** Returns the HTTP/1.1 requests of a new payment, one for each status: signed, and ready to be written to a socket. */
export function requestsOfPayment(): Buffer[] {
  const uuid = randomUUID()
  return STATUSES.map((status) => Buffer.from(requestOfWebhook(uuid, status)))
}

/** Returns a signed webhook to the URL of a link, or to the default URL. */
export function requestOfWebhook(
  uuid: string,
  status: (typeof STATUSES)[number],
  link?: { readonly path: string; readonly authorization: string },
): string {
  const body = bodyOf(uuid, status)
  const authorization = link === undefined ? {} : { authorization: link.authorization }
  const headers = { [SIGNATURE_HEADER]: sign(body, WEBHOOK_SECRET), ...authorization }
  return jsonPost({ path: link?.path ?? WEBHOOK_PATH, headers, body })
}

/** Returns the flat object of docs/payments-api.md, section 6.2, with all fields of a card payment. */
export function bodyOf(uuid: string, status: (typeof STATUSES)[number]): string {
  return JSON.stringify({
    uuid,
    name: 'Ada Payer',
    email: `payer-${uuid.slice(0, 8)}@example.test`,
    external_id: `order-${uuid.slice(0, 13)}`,
    status,
    pay_code: null,
    currency: 'AUD',
    amount: '125.5',
    total: '127.0',
    paid_amount: status === 'received' ? '127.0' : '0.0',
    is_refundable: status === 'received' || status === 'waiting',
    payment_method: 'card',
    expired_at: '2030-01-01 10:00:00 +0000',
    webhook_notification: { endpoint_url: `https://shop.example.test${WEBHOOK_PATH}`, authorization_header: null },
    refund_information: null,
    sender_details: {
      card: { card_brand: 'visa', card_type: 'credit', card_last_4: '4242', card_country: 'AU' },
    },
    created_at: '2030-01-01 09:00:00 +0000',
  })
}

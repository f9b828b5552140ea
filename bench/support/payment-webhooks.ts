import { randomBytes, randomUUID } from 'node:crypto'
import { parseExactJson } from 'payments-subgraph-lib/exact-json'
import { bodyHashes, createKeyRing, Secret } from '../../src/keys/key-ring.ts'
import type { Store } from '../../src/ledger/store.ts'
import type { IncomingDelivery } from '../../src/store/port.ts'
import { withoutSecrets } from '../../src/upstream/wire/values/redact.ts'
import { readPaymentReport } from '../../src/upstream/wire/wire-payment.ts'

/** The statuses of each payment; each of them is one webhook. */
export const WEBHOOK_STATUSES = ['pending', 'authorised', 'waiting', 'received'] as const

/** Number of payments whose webhooks arrive interleaved. */
const UNDER_WAY = 64

const keys = createKeyRing([new Secret(randomBytes(32).toString('hex'))])

/**
 * Stores the webhooks of new payments at the merchant's default URL, as the webhook handler does after the check of the signature; received
 * at an instant, by default now.
 */
export async function receivePaymentWebhooks(store: Store, payments: number, at?: Date): Promise<void> {
  for (let first = 0; first < payments; first += UNDER_WAY) {
    const ids = Array.from({ length: Math.min(UNDER_WAY, payments - first) }, () => randomUUID())
    for (const status of WEBHOOK_STATUSES)
      await Promise.all(ids.map((id, n) => store.inbox.receive(delivered(bodyOf(id, first + n, status), at))))
  }
}

/** Stores one webhook of each of these payments, which are on record. */
export async function receiveLaterWebhooks(store: Store, ids: readonly string[], at: Date): Promise<void> {
  await Promise.all(ids.map((id, n) => store.inbox.receive(delivered(bodyOf(id, n, 'in_dispute', '10.00'), at))))
}

function delivered(body: string, receivedAt = new Date()): IncomingDelivery {
  const json = parseExactJson(body)
  return {
    ref: null,
    receivedAt,
    bodyHashes: bodyHashes(keys, Buffer.from(body), null),
    body: JSON.stringify(withoutSecrets(json)),
    report: readPaymentReport(json),
  }
}

/** Returns the flat object of a card payment, as the payments API writes it. */
function bodyOf(uuid: string, n: number, status: string, amount = `${10 + (n % 900)}.5`): string {
  return JSON.stringify({
    uuid,
    name: `Ada Payer ${n}`,
    email: `ada.payer.${n}@example.test`,
    external_id: `order-${100_000 + n}`,
    status,
    pay_code: null,
    currency: 'AUD',
    amount,
    total: amount,
    paid_amount: status === 'received' ? amount : '0.0',
    is_refundable: status === 'waiting' || status === 'received',
    payment_method: 'card',
    expired_at: '2030-01-02T04:04:05.000000Z',
    webhook_notification: { endpoint_url: 'https://shop.example/webhooks/payments', authorization_header: null },
    refund_information: null,
    sender_details: { card: { card_type: 'credit', card_brand: 'visa', card_last_4: '4242', card_country: 'AU' } },
    created_at: '2030-01-02T03:04:05.000000Z',
    ...(status === 'authorised' || status === 'waiting' ? { token: { id: randomUUID(), type: 'card' } } : {}),
  })
}

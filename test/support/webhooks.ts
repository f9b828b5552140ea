import { randomUUID } from 'node:crypto'
import { request, type OutgoingHttpHeaders } from 'node:http'
import { sign } from 'payments-subgraph-sandbox'
import { callbackAuthorization, type CallbackKind } from '../../src/keys/derived-secrets.ts'
import { createKeyRing, Secret } from '../../src/keys/key-ring.ts'
import { SECRETS, type Network } from './network.ts'
import type { CreatedLink } from './operations.ts'

export type Reply = { readonly status: number; readonly body: string; readonly headers: NodeJS.Dict<string | string[]> }

export type Sending = {
  readonly method?: string
  readonly headers?: OutgoingHttpHeaders
  /** A list is sent chunked, one chunk for each part. */
  readonly body?: string | Buffer | readonly string[]
}

/** Sends one HTTP request without changes, with headers that other clients would correct. */
export function send(url: string, { method = 'POST', headers = {}, body = '' }: Sending = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const whole = typeof body === 'string' || Buffer.isBuffer(body)
    const length = whole && body.length > 0 ? { 'content-length': Buffer.byteLength(body) } : {}
    const outgoing = request(url, { method, headers: { ...length, ...headers }, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          body: Buffer.concat(chunks).toString(),
          headers: response.headers,
        }),
      )
    })
    outgoing.on('error', reject)
    for (const part of whole ? [body] : body) if (part.length > 0) outgoing.write(part)
    outgoing.end()
  })
}

/** URL of a link's webhooks, its correlation id, and the Authorization that the payments API must send. */
export type WebhookAddress = { readonly url: string; readonly ref: string; readonly authorization: string }

/** Returns the webhook address of a link's creation, as the payments API stores it. */
export async function addressOf(network: Network, link: Pick<CreatedLink, 'id' | 'site'>): Promise<WebhookAddress> {
  const site = network.sandbox.sites.find(({ id }) => id === link.site)
  if (site === undefined) throw new Error(`The payments API has no site ${link.site}.`)
  const response = await fetch(`${network.sandbox.url}/v3/payin_links/${link.id}`, {
    headers: { 'app-id': site.appId, 'secret-key': site.secretKey },
  })
  const record = (await response.json()) as { webhook_notification: { endpoint_url: string } }
  return addressFor(record.webhook_notification.endpoint_url)
}

/** Returns a URL with the Authorization that belongs to its last segment. */
export function addressFor(url: string, kind: CallbackKind = 'payment'): WebhookAddress {
  const ref = url.slice(url.lastIndexOf('/') + 1)
  return { url, ref, authorization: callbackAuthorization(KEYS, kind, ref) }
}

const KEYS = createKeyRing([new Secret(SECRETS.signing)])

/** Returns the merchant's default URL, which has no Authorization. */
export function defaultAddress(network: Network): string {
  return `${network.app.url}/webhooks/payments`
}

/** Returns a body as the payments API writes it; `over` replaces parts of it. */
export function paymentBody(over: Record<string, unknown> = {}): string {
  return JSON.stringify({
    uuid: randomUUID(),
    name: 'Ada Payer',
    email: 'ada@example.test',
    status: 'pending',
    currency: 'AUD',
    amount: '125.5',
    total: '125.5',
    paid_amount: '0.0',
    is_refundable: false,
    payment_method: 'card',
    ...over,
  })
}

/** Returns the headers of an authentic webhook. */
export function honestHeaders(body: string | Buffer, authorization?: string, secret: string = SECRETS.webhook) {
  return {
    'content-type': 'application/json',
    'http-webhook-signature': sign(body, secret),
    ...(authorization === undefined ? {} : { authorization }),
  }
}

/** Sends an authentic webhook to the URL of a link, or to the default one. */
export function deliver(to: WebhookAddress | string, body: string | Buffer): Promise<Reply> {
  const { url, authorization } = typeof to === 'string' ? { url: to, authorization: undefined } : to
  return send(url, { headers: honestHeaders(body, authorization), body })
}

export type DeliveryNode = {
  readonly id: string
  readonly subjectId: string | null
  readonly statusRaw: string | null
  readonly disposition: string
  readonly attempts: number
  readonly event: { readonly id: string; readonly toStatus: string | null } | null
}

/** Returns the recorded deliveries, newest first, optionally only those of some payments. */
export async function deliveries(network: Network, subjectIds?: readonly string[]): Promise<DeliveryNode[]> {
  const filter = subjectIds === undefined ? {} : { subjectIds }
  const answer = await network.ask<{ webhookDeliveries: { nodes: DeliveryNode[] } }>(
    `query Deliveries($filter: PaymentWebhookDeliveryFilter) {
      webhookDeliveries(first: 100, filter: $filter) {
        nodes { id subjectId statusRaw disposition attempts event { id toStatus } }
      }
    }`,
    { filter },
  )
  return answer.data.webhookDeliveries.nodes
}

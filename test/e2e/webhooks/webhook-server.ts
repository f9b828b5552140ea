import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { sign } from 'payments-subgraph-sandbox'
import { onTestFinished } from 'vitest'
import { Secret } from '../../../src/keys/key-ring.ts'
import type { Store } from '../../../src/ledger/store.ts'
import { createLogger } from '../../../src/observability/logger.ts'
import { createPaymentWebhook, type PaymentWebhookOptions } from '../../../src/webhooks/subject-webhooks.ts'
import type { WebhookResponse } from '../../../src/webhooks/webhook-handler.ts'
import { NOW } from '../../store/contract/builders.ts'
import { openSqliteFixture } from '../../store/contract/sqlite-fixture.ts'
import { ringOf } from '../../unit/keys/rings.ts'

export const SECRET = 'webhook-secret-1'
export const RING = ringOf('a')

type Headers = Record<string, string | string[]>

export type Sent = {
  readonly method?: string
  readonly ref?: string | null
  readonly body?: string | Uint8Array
  /** Added to the headers of an authentic webhook; undefined removes a header. */
  readonly headers?: Record<string, string | string[] | undefined>
  /** The body is sent only when this resolves; the headers are sent at once. */
  readonly bodyAfter?: Promise<unknown>
}

export type WebhookServer = {
  readonly store: Store
  /** Outcomes of the deliveries, in the order of the answers. */
  readonly responses: WebhookResponse[]
  /** Returns the number of reads that the handler requested. */
  readonly readsDue: () => number
  /** Resolves after `count` requests have arrived. */
  requests(count: number): Promise<void>
  /** Sends a webhook as the payments API does. Returns the status of the answer. */
  send(sent: Sent): Promise<number>
  destroyStore(): Promise<void>
}

/** Starts the payment handler with a real store and a real server. */
export async function openWebhookServer(
  change: (options: PaymentWebhookOptions) => Partial<PaymentWebhookOptions> = () => ({}),
): Promise<WebhookServer> {
  const { store, destroy } = await openSqliteFixture()
  let destroyed: Promise<void> | null = null
  const destroyStore = () => (destroyed ??= destroy())
  onTestFinished(destroyStore)
  const responses: WebhookResponse[] = []
  let readsDue = 0
  const options: PaymentWebhookOptions = {
    inbox: store.inbox,
    keys: RING,
    secrets: [new Secret(SECRET)],
    logger: createLogger({ level: 'silent' }),
    clock: () => NOW,
    observeKeys: { verified() {}, unknown() {} },
    onReadDue: () => void (readsDue += 1),
  }
  const handle = createPaymentWebhook({ ...options, ...change(options) })

  let asked = 0
  const arrived = new EventEmitter()
  const server = createServer((message, reply) => {
    asked += 1
    arrived.emit('request')
    const { method = '', headersDistinct: headers, url = '' } = message
    const correlationId = url === '/' ? null : url.slice(1)
    const answer = (response: WebhookResponse) => {
      responses.push(response)
      reply.writeHead(response.status).end()
      return message.resume()
    }
    void handle({ method, correlationId, headers, body: message }).then(answer)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    store,
    responses,
    readsDue: () => readsDue,
    async requests(count) {
      while (asked < count) await once(arrived, 'request')
    },
    send: (sent) => send(port, sent),
    destroyStore,
  }
}

async function send(port: number, sent: Sent): Promise<number> {
  const { method = 'POST', ref = null, body = '', headers = {}, bodyAfter } = sent
  const all = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'http-webhook-signature': sign(body, SECRET),
    ...headers,
  }
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Headers
  const sender = request({ port, host: '127.0.0.1', method, path: `/${ref ?? ''}`, headers: given, agent: false })
  const answered = once(sender, 'response') as Promise<[IncomingMessage]>
  if (bodyAfter !== undefined) {
    sender.flushHeaders()
    await bodyAfter
  }
  sender.end(body)
  const [answer] = await answered
  await text(answer)
  return answer.statusCode ?? 0
}

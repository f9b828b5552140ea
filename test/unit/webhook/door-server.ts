import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { Secret } from '../../../src/keys/secret.ts'
import { createLogger } from '../../../src/log.ts'
import type { Store } from '../../../src/store/store.ts'
import type { Verdict } from '../../../src/webhook/door.ts'
import { createPaymentDoor, type PaymentDoorOptions } from '../../../src/webhook/payment-door.ts'
import { sign } from '../../../src/webhook/signature.ts'
import { NOW } from '../../contract/store/builders.ts'
import { openSqliteFixture } from '../../contract/store/sqlite-fixture.ts'
import { ringOf } from '../keys/rings.ts'

export const SECRET = 'webhook-secret-1'
export const RING = ringOf('a')

type Headers = Record<string, string | string[]>

export type Sent = {
  readonly method?: string
  readonly ref?: string | null
  readonly body?: string | Uint8Array
  /** On top of the headers of an authentic webhook; undefined leaves one out. */
  readonly headers?: Record<string, string | string[] | undefined>
  /** The body is sent only when this resolves; the headers are sent at once. */
  readonly bodyAfter?: Promise<unknown>
}

export type DoorServer = {
  readonly store: Store
  /** What became of the deliveries, in the order of the answers. */
  readonly verdicts: Verdict[]
  /** How often the door asked for a read. */
  readonly readsDue: () => number
  /** Resolves when the door has been asked this often. */
  arrivals(count: number): Promise<void>
  /** Sends a webhook as the service does, and gives the status of the answer. */
  send(sent: Sent): Promise<number>
  destroyStore(): Promise<void>
}

/** A door to a real store behind a real server. */
export async function openDoor(
  change: (options: PaymentDoorOptions) => Partial<PaymentDoorOptions> = () => ({}),
): Promise<DoorServer> {
  const { store, destroy } = await openSqliteFixture()
  let destroyed: Promise<void> | null = null
  const destroyStore = () => (destroyed ??= destroy())
  onTestFinished(destroyStore)
  const verdicts: Verdict[] = []
  let readsDue = 0
  const options: PaymentDoorOptions = {
    inbox: store.inbox,
    keys: RING,
    secrets: [new Secret(SECRET)],
    logger: createLogger({ level: 'silent' }),
    clock: () => NOW,
    onReadDue: () => void (readsDue += 1),
  }
  const door = createPaymentDoor({ ...options, ...change(options) })

  let asked = 0
  const arrived = new EventEmitter()
  const server = createServer((message, response) => {
    asked += 1
    arrived.emit('arrival')
    const { method = '', headersDistinct: headers, url = '' } = message
    const ref = url === '/' ? null : url.slice(1)
    const answer = (verdict: Verdict) => {
      verdicts.push(verdict)
      response.writeHead(verdict.status).end()
      return message.resume()
    }
    void door({ method, ref, headers, body: message }).then(answer)
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
    verdicts,
    readsDue: () => readsDue,
    async arrivals(count) {
      while (asked < count) await once(arrived, 'arrival')
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

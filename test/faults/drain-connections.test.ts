import { once } from 'node:events'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { startSandbox, type Sandbox } from 'payments-subgraph-sandbox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startJwksServer } from '../e2e/access/jwks-server.ts'
import { itemOf, openEvents } from '../support/events.ts'
import { SECRETS } from '../support/network.ts'
import { settingsFor, startReady, temporaryFolder, written, type Child } from '../support/process.ts'
import { openSocket } from '../support/socket.ts'
import { CLAIMS, issuerKey, rsToken } from '../unit/access/tokens.ts'
import { silentConnection } from './drain-peers.ts'
import { FULL } from './rounds.ts'

/** Longest time from the signal to the end, in milliseconds: less than the 11 seconds for which a shutdown waits for requests in flight. */
const SOON_MS = 10_000
const STREAM = 'subscription { paymentEventStream { kind } }'
const PING = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n'

let sandbox: Sandbox
beforeAll(async () => void (sandbox = await startSandbox({ webhookSecret: SECRETS.webhook })))
afterAll(() => sandbox.close())

const start = (env: Record<string, string> = {}) =>
  startReady({ env: { ...settingsFor(sandbox, temporaryFolder()), ...env } })

/** Ends a process with SIGTERM, as an orchestrator does. Returns its exit code and the milliseconds it took. */
async function endOf({ child, ended }: Child): Promise<{ code: number | null; tookMs: number }> {
  const asked = performance.now()
  child.kill('SIGTERM')
  const { code, at } = await ended
  return { code, tookMs: at - asked }
}

/** Opens a connection that has received an answer, and sends nothing after that but these bytes. */
async function answered(url: string, bytes = ''): Promise<Socket> {
  const socket = await silentConnection(url, `${PING}\r\n`)
  await once(socket, 'data')
  if (bytes !== '') await new Promise((resolve) => socket.write(bytes, resolve))
  return socket
}

/** Returns a request with an incomplete body. */
const half = (path: string) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`

/** Requests a stream of events. Resolves with the connection when the request has been sent. */
function rawStream(url: string, path: string, authorization: string): Promise<Socket> {
  const body = JSON.stringify({ query: STREAM })
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    'Accept: text/event-stream',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    `Authorization: ${authorization}`,
  ]
  return silentConnection(url, `${head.join('\r\n')}\r\n\r\n${body}`)
}

const PEERS: readonly [what: string, peer: (url: string) => Promise<Socket>][] = [
  ['a connection on which nothing was ever sent', (url) => silentConnection(url)],
  ['half a header', (url) => silentConnection(url, PING)],
  ['half a header after an answer', (url) => answered(url, PING)],
  ['a connection that is kept alive', (url) => answered(url)],
  ['half a body', (url) => silentConnection(url, half('/graphql'))],
  ['half a webhook', (url) => silentConnection(url, half('/webhooks/payments'))],
  ['half a body after an answer', (url) => answered(url, half('/graphql'))],
  [
    'half an upgrade',
    (url) => silentConnection(url, 'GET /graphql HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n'),
  ],
]

describe('a drain is not held up by', () => {
  const all = (url: string) => Promise.all(PEERS.map(([, peer]) => peer(url)))
  const alone = PEERS.map(([what, peer]) => [what, async (url: string) => [await peer(url)]] as const)
  it.each([['idle and half-sent connections of every kind', all] as const, ...(FULL ? alone : [])])(
    '%s',
    async (_what, peersOf) => {
      const app = await start()
      const peers = (await Promise.all(Array.from({ length: 5 }, () => peersOf(app.url)))).flat()
      const closed = peers.map((socket) => once(socket.resume(), 'close'))
      const { code, tookMs } = await endOf(app)
      expect(code).toBe(0)
      expect(tookMs).toBeLessThan(SOON_MS)
      await Promise.all(closed)
    },
  )
})

describe('a drain', () => {
  it('ends the streams that were being admitted when it began as all others', async () => {
    const key = issuerKey('key-1')
    const issuer = await startJwksServer()
    const { promise: asked, resolve: onAsked } = Promise.withResolvers<() => void>()
    issuer.respond = (response) => onAsked(() => response.end(JSON.stringify({ keys: [key.jwk] })))
    try {
      const app = await start({ JWT_SECRET: '', JWT_JWKS_URL: issuer.url })
      const headers = { authorization: `Bearer ${rsToken(key, { ...CLAIMS, scope: 'payments:read' })}` }
      const socket = await openSocket(app.url)
      socket.send({ type: 'connection_init', payload: headers })
      const paths = ['/graphql/stream', '/graphql']
      const streams = await Promise.all(paths.map((path) => rawStream(app.url, path, headers.authorization)))
      // No request is authenticated before the issuer answers, and the server has accepted all of them by now.
      const answer = await asked
      for (let turn = 0; turn < 20; turn += 1) await (await fetch(`${app.url}/health/live`)).text()
      const end = endOf(app)
      await written(app, '"msg":"draining"')
      answer()
      for (const stream of streams) {
        const received = await text(stream)
        expect(received).toContain('text/event-stream')
        expect(received).toContain('"code":"UNAVAILABLE"')
        expect(received).not.toContain('event: complete')
      }
      expect((await socket.closed).code).toBe(1012)
      const { code, tookMs } = await end
      expect(code).toBe(0)
      expect(tookMs).toBeLessThan(SOON_MS)
    } finally {
      await issuer.close()
    }
  })
})

describe('SIGUSR2', () => {
  it('ends the streams of a withdrawn key, and not the process', async () => {
    const [old, current] = [issuerKey('key-1'), issuerKey('key-2')]
    const issuer = await startJwksServer()
    issuer.publish(old.jwk)
    try {
      const app = await start({ JWT_SECRET: '', JWT_JWKS_URL: issuer.url })
      const headers = { authorization: `Bearer ${rsToken(old, { ...CLAIMS, scope: 'payments:read' })}` }
      const stream = await openEvents(app.url, { operation: { query: STREAM }, headers })
      expect(itemOf(await stream.next()).kind).toBeDefined()
      issuer.publish(current.jwk)
      app.child.kill('SIGUSR2')
      const last = (await stream.rest()).at(-1)
      expect(JSON.parse(last?.data ?? '')).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] })
      expect((await endOf(app)).code).toBe(0)
    } finally {
      await issuer.close()
    }
  })
})

import type { ServerResponse } from 'node:http'
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

const STREAM = 'subscription { paymentEventStream { kind } }'

let sandbox: Sandbox
beforeAll(async () => void (sandbox = await startSandbox({ webhookSecret: SECRETS.webhook })))
afterAll(() => sandbox.close())

const start = (env: Record<string, string> = {}) =>
  startReady({ env: { ...settingsFor(sandbox, temporaryFolder()), ...env } })

/** Ends a process with SIGTERM, as an orchestrator does. Returns its exit code. */
async function endOf({ child, ended }: Child): Promise<number | null> {
  child.kill('SIGTERM')
  return (await ended).code
}

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

describe('a drain', () => {
  it('ends the streams that were being admitted when it began as all others', async () => {
    const key = issuerKey('key-1')
    const issuer = await startJwksServer()
    const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>()
    const waiting: ServerResponse[] = []
    issuer.respond = (response) => {
      waiting.push(response)
      onAsked()
    }
    try {
      const app = await start({ JWT_SECRETS: '', JWT_JWKS_URL: issuer.url })
      const headers = { authorization: `Bearer ${rsToken(key, { ...CLAIMS, scope: 'payments:read' })}` }
      const socket = await openSocket(app.url)
      socket.send({ type: 'connection_init', payload: headers })
      const paths = ['/graphql/stream', '/graphql']
      const streams = await Promise.all(paths.map((path) => rawStream(app.url, path, headers.authorization)))
      // No request is authenticated before the issuer answers, and the server has accepted all of them by now.
      await asked
      for (let turn = 0; turn < 20; turn += 1) await (await fetch(`${app.url}/health/live`)).text()
      const end = endOf(app)
      await written(app, '"msg":"draining"')
      for (const response of waiting) response.end(JSON.stringify({ keys: [key.jwk] }))
      for (const stream of streams) {
        const received = await text(stream)
        expect(received).toContain('text/event-stream')
        expect(received).toContain('"code":"UNAVAILABLE"')
        expect(received).not.toContain('event: complete')
      }
      expect((await socket.closed).code).toBe(1012)
      expect(await end).toBe(0)
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
      const app = await start({ JWT_SECRETS: '', JWT_JWKS_URL: issuer.url })
      const headers = { authorization: `Bearer ${rsToken(old, { ...CLAIMS, scope: 'payments:read' })}` }
      const stream = await openEvents(app.url, { operation: { query: STREAM }, headers })
      expect(itemOf(await stream.next()).kind).toBeDefined()
      issuer.publish(current.jwk)
      app.child.kill('SIGUSR2')
      const last = (await stream.rest()).at(-1)
      expect(JSON.parse(last?.data ?? '')).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] })
      expect(await endOf(app)).toBe(0)
    } finally {
      await issuer.close()
    }
  })
})

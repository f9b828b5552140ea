import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { createServer as createHttpsServer } from 'node:https'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { TLSSocket } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createAuthority } from '../e2e/upstream/certificate.ts'
import { SECRETS } from '../support/network.ts'
import { startReady, temporaryFolder } from '../support/process.ts'

const ROOT = join(import.meta.dirname, '../..')
const SWITCHED_OFF = { NODE_TLS_REJECT_UNAUTHORIZED: '0', PATH: process.env['PATH'] ?? '' }
const CLIENTS = fileURLToPath(new URL('clients-child.ts', import.meta.url))
const ENDS_FOR_SURE = 120_000

const certificate = createAuthority().issue('127.0.0.1', new Date(Date.now() + 86_400_000))

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** Starts a server with an untrusted certificate, which records the requested paths. */
async function startStranger(): Promise<{ readonly origin: string; readonly asked: string[] }> {
  const asked: string[] = []
  const server = createHttpsServer(certificate, ({ url = '' }, response) => {
    asked.push(url)
    response.setHeader('content-type', 'application/json').end('{"data":{}}')
  })
  return { origin: `https://127.0.0.1:${await portOf(server)}`, asked }
}

/** Starts a database server with such a certificate, which records what it receives after the encryption. */
async function startStrangeDatabase(): Promise<{ readonly url: string; readonly told: string[] }> {
  const told: string[] = []
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write('S')
      const secure = new TLSSocket(socket, { isServer: true, ...certificate })
      secure.on('error', () => {}).on('data', (data) => told.push(data.toString('latin1')) && secure.destroy())
    })
  })
  return { url: `postgres://user:password@127.0.0.1:${await portOf(server)}/db`, told }
}

// promise(outgoing): Every client verifies certificates; `NODE_TLS_REJECT_UNAUTHORIZED=0` has no effect, and prevents a
// start in production.
describe('with NODE_TLS_REJECT_UNAUTHORIZED=0, a server that nobody vouches for', { timeout: ENDS_FOR_SURE }, () => {
  it('is told nothing by any client of ours', async () => {
    const { origin, asked } = await startStranger()
    const { url, told } = await startStrangeDatabase()
    const args = ['--conditions=payments-subgraph-source', CLIENTS, origin, url]
    const child = spawn(process.execPath, args, { env: SWITCHED_OFF, stdio: ['ignore', 'pipe', 'ignore'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    const { control, ...ours } = JSON.parse(await text(child.stdout)) as Record<string, string>
    expect(control).toBe('answered')
    expect(Object.keys(ours)).toHaveLength(10)
    expect({ asked, told }).toEqual({ asked: ['/control'], told: [] })
    expect(Object.entries(ours).filter(([, outcome]) => outcome !== 'failed')).toEqual([])
  })

  it('is told nothing by the whole program in development', async () => {
    const { origin, asked } = await startStranger()
    const { url } = await startReady({
      env: {
        ...SWITCHED_OFF,
        PORT: '0',
        UPSTREAM_URL: `${origin}/api`,
        UPSTREAM_SITES: '[{"id":"au","appId":"app-au","secretKey":"secret-of-au","currencies":["AUD"]}]',
        WEBHOOK_SECRETS: SECRETS.webhook,
        SIGNING_KEYS: SECRETS.signing,
        JWT_SECRETS: SECRETS.jwt,
        DATABASE_URL: `file:${join(temporaryFolder(), 'payments.db')}`,
      },
    })
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ payinMethods { unavailable } }' }),
    })
    expect(await response.json()).toEqual({ data: { payinMethods: { unavailable: ['AUD'] } } })
    expect(asked).toEqual([])
  })
})

describe('in the source', () => {
  const source = globSync(['{src,packages/sandbox/src}/**/*.ts', 'examples/*/server/*.ts'], { cwd: ROOT }).map(
    (file) => ({
      file,
      code: readFileSync(join(ROOT, file), 'utf8'),
    }),
  )
  const filesWith = (pattern: RegExp) => source.filter(({ code }) => pattern.test(code))

  it("every client's connections are verified in so many words", () => {
    const clients = filesWith(/new (?:Agent|EnvHttpProxyAgent|Pool|OTLPTraceExporter)\(/).filter(
      ({ code }) => !code.includes("from 'pg'"),
    )
    expect(clients.length).toBeGreaterThanOrEqual(7)
    expect(clients.filter(({ code }) => !code.includes('rejectUnauthorized: true')).map(({ file }) => file)).toEqual([])
  })

  it("nobody uses the runtime's own client, which believes the switch", () => {
    const own = filesWith(/\bfetch\(/).filter(({ code }) => !/import \{[^}]*\bfetch\b[^}]*\} from 'undici'/.test(code))
    // The source of a script that runs in the sandbox's hosted page.
    expect(own.map(({ file }) => file)).toEqual(['packages/sandbox/src/checkout/page-script.ts'])
    expect(filesWith(/from 'node:(?:https|tls)'/).map(({ file }) => file)).toEqual([])
    expect(filesWith(/rejectUnauthorized: (?!true)/).map(({ file }) => file)).toEqual([
      'src/store/postgres/postgres-connection.ts',
    ])
  })
})

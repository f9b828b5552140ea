import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { onMeasuredCore } from '../cores.ts'
import { WEBHOOK_SECRET } from './requests.ts'

/** A server that is measured, in a process of its own. */
export type ServerProcess = { readonly url: string; readonly pid: number; stop(): Promise<void> }

const START_MS = 60_000

/** Nobody listens there: no read of the payments API succeeds, and none is needed. */
const NO_PAYMENTS_API = 'http://127.0.0.1:9/api'

/** The settings of the product in production. Its log, of the level info, goes to /dev/null. */
const PRODUCTION = {
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  ADMIN_PORT: 'off',
  LOG_LEVEL: 'info',
  PUBLIC_URL: 'https://shop.example.test',
  UPSTREAM_URL: NO_PAYMENTS_API,
  UPSTREAM_SITES: '[{"id":"au","appId":"app-id","secretKey":"secret-key-of-the-bench","currencies":["AUD"]}]',
  WEBHOOK_SECRETS: WEBHOOK_SECRET,
  SIGNING_KEYS: 'signing-key-of-the-bench-0123456789abcdef',
  JWT_SECRET: 'client-token-secret-of-the-bench-0123456789',
  JWT_ISSUER: 'any',
  JWT_AUDIENCE: 'any',
  ROUTER_SECRETS: 'none',
}

/** Starts the product: `program` is its main module, `databaseUrl` what DATABASE_URL names. */
export function startProduct(
  program: string,
  databaseUrl: string,
  cleanUp: AsyncDisposableStack,
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  return startServer(program, { ...PRODUCTION, ...env, DATABASE_URL: databaseUrl }, cleanUp)
}

/** Starts Fastify that only checks the HMAC of a webhook. */
export function startPeer(cleanUp: AsyncDisposableStack): Promise<ServerProcess> {
  const module = fileURLToPath(new URL('./hmac-peer.ts', import.meta.url))
  return startServer(module, { NODE_ENV: 'production' }, cleanUp)
}

/** Resolves once the server is ready; throws with what it wrote to standard error when it does not get there. */
async function startServer(
  module: string,
  env: Readonly<Record<string, string>>,
  cleanUp: AsyncDisposableStack,
): Promise<ServerProcess> {
  const port = await freePort()
  const [program, args] = onMeasuredCore([process.execPath, module])
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '', PORT: String(port), ...env },
  })
  const exited = once(child, 'exit')
  const stop = async () => {
    child.kill('SIGTERM')
    await exited
  }
  cleanUp.defer(stop)
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const url = `http://127.0.0.1:${port}`
  const deadline = performance.now() + START_MS
  while (!(await isReady(url))) {
    const hasEnded = child.exitCode !== null || child.signalCode !== null
    if (hasEnded || performance.now() > deadline) throw new Error(`${module} did not start.\n${errors}`)
    await sleep(50)
  }
  return { url, pid: child.pid ?? 0, stop }
}

async function isReady(url: string): Promise<boolean> {
  try {
    const { ok } = await fetch(`${url}/health/ready`)
    return ok
  } catch {
    return false
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

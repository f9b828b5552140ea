import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../test/support/postgres-server.ts'
import { onMeasuredCore } from './cores.ts'

/** A server in a process of its own. */
export type ServerProcess = { readonly url: string; readonly pid: number; stop(): Promise<void> }

export type ServerOptions = {
  readonly env?: Readonly<Record<string, string>>
  /** Options of node itself. */
  readonly execArgv?: readonly string[]
  /** Whether it runs on the core of what is measured; true by default. */
  readonly measured?: boolean
  /** A GET of this address is answered with 200 once the server is ready; `/health/ready` by default. */
  readonly readyPath?: string
  /** Stops the server. */
  readonly cleanUp: AsyncDisposableStack
}

const START_MS = 60_000

/** Nobody listens there: no read of the payments API succeeds, and none is needed. */
const NO_PAYMENTS_API = 'http://127.0.0.1:9/api'

export const WEBHOOK_SECRET = 'webhook-secret-of-the-bench'
export const JWT_SECRET = 'client-token-secret-of-the-bench-0123456789'

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
  JWT_SECRET,
  JWT_ISSUER: 'any',
  JWT_AUDIENCE: 'any',
  ROUTER_SECRETS: 'none',
}

/** The environment of the product in production, with some settings of its own. */
export function productionEnv(env: Readonly<Record<string, string>>): Record<string, string> {
  return { ...PRODUCTION, ...env }
}

/** Resolves once the server is ready; throws with what it wrote to standard error when it does not get there. */
export async function startServer(module: string, options: ServerOptions): Promise<ServerProcess> {
  const { env = {}, execArgv = [], measured = true, readyPath = '/health/ready', cleanUp } = options
  const port = await freePort()
  const command = [process.execPath, ...execArgv, module]
  const [program, args] = measured ? onMeasuredCore(command) : [process.execPath, command.slice(1)]
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
  while (!(await isReady(`${url}${readyPath}`))) {
    const hasEnded = child.exitCode !== null || child.signalCode !== null
    if (hasEnded || performance.now() > deadline) throw new Error(`${module} did not start.\n${errors}`)
    await sleep(50)
  }
  return { url, pid: child.pid ?? 0, stop }
}

async function isReady(url: string): Promise<boolean> {
  try {
    const { ok } = await fetch(url)
    return ok
  } catch {
    return false
  }
}

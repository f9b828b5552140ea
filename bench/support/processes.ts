import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../test/support/free-port.ts'
import { onMeasuredCore } from './cores.ts'

/** A server in a separate process. */
export type ServerProcess = { readonly url: string; readonly pid: number; stop(): Promise<void> }

export type ServerOptions = {
  readonly env?: Readonly<Record<string, string>>
  /** Options of Node. */
  readonly execArgv?: readonly string[]
  /** True if the process runs on the measured core; default: true. */
  readonly measured?: boolean
  /** Path whose GET is answered with 200 when the server is ready; default: `/health/ready`. */
  readonly readyPath?: string
  /** Stops the server. */
  readonly cleanUp: AsyncDisposableStack
}

const START_MS = 60_000

/** No server listens on this port: every read of the payments API fails, and none is needed. */
const NO_PAYMENTS_API = 'http://127.0.0.1:9/api'

export const WEBHOOK_SECRET = 'webhook-secret-of-the-bench'
export const JWT_SECRETS = 'client-token-secret-of-the-bench-0123456789'

/** Settings of the product in production. Its log has the level info and goes to /dev/null. */
const PRODUCTION = {
  NODE_ENV: 'production',
  UPSTREAM_ENVIRONMENT: 'sandbox',
  HOST: '127.0.0.1',
  ADMIN_PORT: 'off',
  LOG_LEVEL: 'info',
  PUBLIC_URL: 'https://shop.example.test',
  UPSTREAM_URL: NO_PAYMENTS_API,
  UPSTREAM_SITES: '[{"id":"au","appId":"app-id","secretKey":"secret-key-of-the-bench","currencies":["AUD"]}]',
  WEBHOOK_SECRETS: WEBHOOK_SECRET,
  SIGNING_KEYS: 'signing-key-of-the-bench-0123456789abcdef',
  JWT_SECRETS,
  JWT_ISSUER: 'any',
  JWT_AUDIENCE: 'any',
  ROUTER_SECRETS: 'none',
}

/** Returns the environment of the product in production, with additional settings. */
export function productionEnv(env: Readonly<Record<string, string>>): Record<string, string> {
  return { ...PRODUCTION, ...env }
}

/** Resolves when the server is ready. Throws with its standard error if it ends, or is not ready within a minute. */
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

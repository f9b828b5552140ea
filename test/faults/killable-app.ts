import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { SECRETS } from '../support/network.ts'

export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null }

/** The program as an operator runs it: a process of its own, that can be killed. */
export type KillableApp = {
  /** Where it listens, once it says that it is ready; null when it ended before. */
  readonly ready: Promise<string | null>
  readonly exited: Promise<Exit>
  readonly pid: number
  /** What it wrote to standard output and to standard error so far. */
  output(): string
  /** SIGKILL, unless told otherwise; resolves when it is gone. */
  kill(signal?: NodeJS.Signals): Promise<Exit>
}

export type KillableAppOptions = {
  readonly path: string
  readonly env?: Readonly<Record<string, string>>
  /** Options of node itself, such as a module that is loaded before the program. */
  readonly execArgv?: readonly string[]
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const READY = /^ {2}GraphQL +(\S+)\/graphql$/

/** Nobody listens there: what is read of the payments API fails, and harms nothing that is told here. */
const NO_SERVICE = 'http://127.0.0.1:9/api'

/** Starts `src/main.ts` on a database file and a free port. `process.execPath` is the binary itself, which a preload needs. */
export function spawnApp({ path, env = {}, execArgv = [] }: KillableAppOptions): KillableApp {
  const child = spawn(process.execPath, [...execArgv, 'src/main.ts'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...settings(path), ...env },
  })
  const lines: string[] = []
  const exited = once(child, 'exit').then(([code, signal]): Exit => ({ code, signal }))
  const ready = new Promise<string | null>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line)
      const url = READY.exec(line)?.[1]
      if (url !== undefined) resolve(url)
    })
    void exited.then(() => resolve(null))
  })
  createInterface({ input: child.stderr }).on('line', (line) => lines.push(line))
  return {
    ready,
    exited,
    pid: child.pid ?? 0,
    output: () => lines.join('\n'),
    kill(signal = 'SIGKILL') {
      child.kill(signal)
      return exited
    },
  }
}

/** The same, once it is ready; throws with what it said when it does not get there. */
export async function startApp(options: KillableAppOptions): Promise<KillableApp & { readonly url: string }> {
  const app = spawnApp(options)
  const url = await app.ready
  if (url === null) throw new Error(`The app did not start:\n${app.output()}`)
  return { ...app, url }
}

/** Leaves the program compiled on disk, which halves what each start after it takes. Only a process that ends by itself does. */
export async function compile(path: string): Promise<void> {
  const app = await startApp({ path })
  await app.kill('SIGTERM')
}

function settings(path: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    NODE_COMPILE_CACHE: join(tmpdir(), 'payments-compiled'),
    HOST: '127.0.0.1',
    WARM_UP_MS: '0',
    PORT: '0',
    UPSTREAM_URL: NO_SERVICE,
    UPSTREAM_SITES: '[{"id":"au","appId":"app-id","secretKey":"secret-key-of-the-tests","currencies":["AUD"]}]',
    WEBHOOK_SECRETS: SECRETS.webhook,
    SIGNING_KEYS: SECRETS.signing,
    JWT_SECRET: SECRETS.jwt,
    DATABASE_URL: `file:${path}`,
    LOG_LEVEL: 'warn',
  }
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { SECRETS } from '../support/network.ts'
import { COMPILED } from '../support/process.ts'

export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null }

/** The program as an operator runs it, in a process of its own that can be killed. */
export type KillableApp = {
  /** Resolves with its URL when it is ready; with null if it ends before that. */
  readonly ready: Promise<string | null>
  readonly exited: Promise<Exit>
  readonly pid: number
  /** Returns its standard output and standard error so far. */
  output(): string
  /** Sends the signal, SIGKILL by default; resolves when the process has ended. */
  kill(signal?: NodeJS.Signals): Promise<Exit>
}

export type KillableAppOptions = {
  readonly path: string
  readonly env?: Readonly<Record<string, string>>
  /** Options of Node itself, such as a module to load before the program. */
  readonly execArgv?: readonly string[]
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const READY = /^ {2}GraphQL +(\S+)\/graphql$/

/** Nothing listens there: reads of the payments API fail, which does not affect these tests. */
const NO_SERVICE = 'http://127.0.0.1:9/api'

/**
 * Starts the bundled program with a database file and a free port. `process.execPath` is the binary itself, which a preloaded library requires.
 */
export function spawnApp({ path, env = {}, execArgv = [] }: KillableAppOptions): KillableApp {
  const child = spawn(process.execPath, [...execArgv, 'dist/main.js'], {
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

/** Starts the program and waits until it is ready. Throws with its output if it ends before that. */
export async function startApp(options: KillableAppOptions): Promise<KillableApp & { readonly url: string }> {
  const app = spawnApp(options)
  const url = await app.ready
  if (url === null) throw new Error(`The app did not start:\n${app.output()}`)
  return { ...app, url }
}

/** Stores the compiled program on disk, which halves the time of later starts. Node writes it only when a process ends normally. */
export async function compile(path: string): Promise<void> {
  const app = await startApp({ path })
  await app.kill('SIGTERM')
}

function settings(path: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    NODE_COMPILE_CACHE: COMPILED,
    HOST: '127.0.0.1',
    WARM_UP_MS: '0',
    PORT: '0',
    UPSTREAM_URL: NO_SERVICE,
    UPSTREAM_SITES: '[{"id":"au","appId":"app-id","secretKey":"secret-key-of-the-tests","currencies":["AUD"]}]',
    WEBHOOK_SECRETS: SECRETS.webhook,
    SIGNING_KEYS: SECRETS.signing,
    JWT_SECRETS: SECRETS.jwt,
    DATABASE_URL: `file:${path}`,
    LOG_LEVEL: 'warn',
  }
}

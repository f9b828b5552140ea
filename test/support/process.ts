import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Sandbox } from 'payments-subgraph-sandbox'
import { onTestFinished } from 'vitest'
import { SECRETS } from './network.ts'

/** The program as it is bundled for production, and from its sources: a start of the first takes half the processor time. */
const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
export const MAIN_FROM_SOURCES = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

/** Folder of the compile cache, which halves the time of each start after the first one. */
export const COMPILED = join(tmpdir(), 'payments-compiled')

export type Ended = {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** `performance.now()` at the end. */
  readonly at: number
}

/** The program in a separate process. */
export type Child = {
  readonly child: ChildProcess
  /** Returns everything that the process has written to standard output and standard error. */
  output(): string
  readonly ended: Promise<Ended>
}

export type ChildOptions = {
  /** Settings of the program. It gets no other variables of this process's environment. */
  readonly env: Readonly<Record<string, string>>
  /** Modules that are loaded before the program, as file paths. */
  readonly preload?: readonly string[]
  readonly cwd?: string
  /** Command that runs Node, if the program does not run under Node directly. */
  readonly under?: readonly string[]
  /** True if a preloaded module exchanges messages with this process (`child.send`, `child.on('message')`). */
  readonly channel?: boolean
  /** The program's entry. Default: that of this checkout, as it is bundled. */
  readonly main?: string
}

/** Runs the program. The process is killed when the test ends. Concurrent tests pass their own `onTestFinished`. */
export function startChild(
  { env, preload = [], cwd, under = [], channel = false, main = MAIN }: ChildOptions,
  onEnd: (end: () => void) => void = onTestFinished,
): Child {
  const imports = preload.flatMap((path) => ['--import', path])
  const conditions = main.endsWith('.ts') ? ['--conditions=payments-subgraph-source'] : []
  const [first, ...args] = [...under, process.execPath, ...conditions, ...imports, main]
  const child = spawn(first ?? process.execPath, args, {
    env: { NODE_ENV: 'test', NODE_COMPILE_CACHE: COMPILED, ...env },
    cwd,
    stdio: ['ignore', 'pipe', 'pipe', channel ? 'ipc' : 'ignore'],
    detached: under.length > 0,
  })
  onEnd(() => (under.length > 0 ? endGroup(child) : void child.kill('SIGKILL')))
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (part: string) => (text += part))
  // `close` instead of `exit`, because all output has been read by then.
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, at: performance.now() }))
  })
  return { child, ended, output: () => text }
}

/** Kills the process group, because the program may still run after the command before it has ended. */
function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Starts the program and waits until it listens. Returns it with its URL. */
export async function startReady(
  options: ChildOptions,
  onEnd?: (end: () => void) => void,
): Promise<Child & { readonly url: string }> {
  const started = startChild(options, onEnd)
  const url = await new Promise<string>((resolve, reject) => {
    const look = () => {
      const line = /^\{.*"msg":"ready"\}$/m.exec(started.output())?.[0]
      if (line !== undefined) resolve(new URL((JSON.parse(line) as { url: string }).url).origin)
    }
    started.child.stdout?.on('data', look)
    started.child.once('close', () => reject(new Error(`The process ended:\n${started.output()}`)))
  })
  return { ...started, url }
}

/** Resolves when the program has written a text. Rejects if it ends without the text. */
export function written({ child, output, ended }: Child, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = () => output().includes(text) && resolve()
    child.stdout?.on('data', look)
    look()
    void ended.then(() => reject(new Error(`The program ended without writing ${text}:\n${output()}`)))
  })
}

/** Returns the settings of a program that calls this sandbox, on a free port and with its data in a folder. */
export function settingsFor(sandbox: Sandbox, folder: string): Record<string, string> {
  return {
    PORT: '0',
    WARM_UP_MS: '0',
    UPSTREAM_URL: sandbox.url,
    UPSTREAM_SITES: JSON.stringify(sandbox.sites),
    WEBHOOK_SECRETS: SECRETS.webhook,
    SIGNING_KEYS: SECRETS.signing,
    JWT_SECRETS: SECRETS.jwt,
    DATABASE_URL: `file:${join(folder, 'payments.db')}`,
  }
}

/** Creates a folder that is removed after the test. */
export function temporaryFolder(onEnd: (end: () => void) => void = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'process-'))
  onEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

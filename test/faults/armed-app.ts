import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { askAt, type Network } from '../support/network.ts'

/** The transaction before whose commit a process is to kill itself: that of a command's record, or of its end. */
export type KillPoint = 'intent' | 'outcome'

/** What a process is started with. */
export type Life = {
  /** The app's settings. */
  readonly env: Readonly<Record<string, string>>
  /** How far the app's clock is ahead of the machine's. */
  readonly clockAheadMs: number
}

/** An app in a process of its own. */
export type ArmedApp = Pick<Network, 'ask'> & {
  /** Has the process kill itself before the next commit of this kind. Resolves when it knows. */
  arm(point: KillPoint): Promise<void>
  /** Resolves when the process is no more. */
  readonly dead: Promise<void>
  /** Kills it at once, and waits for its end. */
  kill(): Promise<void>
}

const ENTRY = fileURLToPath(new URL('./armed-process.ts', import.meta.url))

/** Starts an app, and resolves when it listens. Rejects when it ends before that. */
export async function startArmedApp(life: Life): Promise<ArmedApp> {
  const child = fork(ENTRY, [JSON.stringify(life)], { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const dead = once(child, 'exit').then(() => undefined)
  const url = await listening(child, dead)
  return {
    ask: askAt(() => url),
    async arm(point) {
      const heard = once(child, 'message')
      child.send(point)
      await heard
    },
    dead,
    async kill() {
      child.kill('SIGKILL')
      await dead
    },
  }
}

async function listening(child: ChildProcess, dead: Promise<void>): Promise<string> {
  const [url] = (await Promise.race([once(child, 'message'), dead.then(() => [null])])) as [string | null]
  if (url === null) throw new Error('The app has ended before it listened.')
  return url
}

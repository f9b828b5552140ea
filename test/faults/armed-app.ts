import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { withTimeout } from '../../src/lib/timers.ts'
import { askAt, type Network } from '../support/network.ts'

/** The transaction before whose commit a process kills itself: the one that records a command, or the one that settles it. */
export type KillPoint = 'intent' | 'outcome'

/** Configuration of a process. */
export type Life = {
  /** The app's settings. */
  readonly env: Readonly<Record<string, string>>
  /** How far the app's clock is ahead of the machine's, in milliseconds. */
  readonly clockAheadMs: number
}

/** An app in a process of its own. */
export type ArmedApp = Pick<Network, 'ask'> & {
  /** Makes the process kill itself before the next commit of this kind. Resolves when the process has confirmed that. */
  arm(point: KillPoint): Promise<void>
  /** Resolves when the process has ended that was armed. Rejects when it has not got to its kill point. */
  died(): Promise<void>
  /** Kills the process with SIGKILL, and waits for its end. */
  kill(): Promise<void>
}

/** It dies before the answer to what it was armed for; a busy machine takes longer to tell. */
const MOST_MS = 15_000

function notDead(): never {
  throw new Error('The app lives: it has not come to the commit before which it kills itself.')
}

const ENTRY = fileURLToPath(new URL('./armed-process.ts', import.meta.url))

/** Starts an app; resolves when it listens. Rejects if it ends before that. */
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
    died: () => withTimeout(dead, MOST_MS, notDead),
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

import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Order, Received } from './clients.ts'

/** The WebSockets of one client process. */
export type Crowd = {
  /** Opens one more socket for each topic. Resolves when all are open and their subscriptions have caught up. */
  open(topics: readonly string[]): Promise<void>
  /** Number of open sockets. */
  readonly size: number
  /** Starts to count frames from zero. */
  mark(): Promise<void>
  /** Resolves after `frames` frames since the mark. Rejects if their number differs after a minute, or a socket was closed. */
  delivered(frames: number): Promise<Received>
  /** Returns the text of the last frame of the first socket. */
  sample(): Promise<string>
  /** Returns the time of the last frame of each socket; 0 if there is none since the mark. */
  arrivals(): Promise<number[]>
  stop(): void
}

const PATIENCE_MS = 60_000
/** Number of files that a process has open besides its sockets. */
const OTHER_FILES = 200

/** Throws if a process may not open this number of sockets. */
function requireOpenFiles(sockets: number): void {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } }
  const limit = Number(userLimits?.open_files?.soft)
  if (limit < sockets + OTHER_FILES)
    throw new Error(
      `Each process may open ${limit} files: run \`ulimit -n ${sockets + OTHER_FILES}\`, or ask for fewer sockets.`,
    )
}

/** Starts a process that opens sockets of one kind. */
export async function startCrowd(
  of: Omit<Order & { kind: 'open' }, 'kind' | 'topics'>,
  cleanUp: AsyncDisposableStack,
): Promise<Crowd> {
  const child = fork(new URL('./clients.ts', import.meta.url), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const stop = () => {
    if (child.connected) child.disconnect()
  }
  cleanUp.defer(stop)
  await once(child, 'message')
  const ask = async (order: Order): Promise<unknown> => {
    child.send(order)
    const [{ reply, error }] = (await once(child, 'message')) as [{ reply?: unknown; error?: string }]
    if (error !== undefined) throw new Error(`The sockets failed: ${error}`)
    return reply
  }
  let size = 0
  return {
    get size() {
      return size
    },
    async open(topics) {
      requireOpenFiles(size + topics.length)
      size = (await ask({ kind: 'open', topics, ...of })) as number
    },
    mark: async () => void (await ask({ kind: 'mark' })),
    async delivered(frames) {
      const received = (await ask({ kind: 'wait', frames, milliseconds: PATIENCE_MS })) as Received
      if (received.frames !== frames) throw new Error(`${received.frames} of ${frames} frames were delivered.`)
      return received
    },
    sample: async () => String(await ask({ kind: 'sample' })),
    arrivals: async () => (await ask({ kind: 'arrivals' })) as number[],
    stop,
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import { openStream } from '../support/stream.ts'
import { EVENT_STREAM } from '../support/streams.ts'
import { developerToken } from './process-client.ts'

/** A subscriber of the whole log at one node that comes back after its last cursor whenever its stream ends. */
export type LogFollower = {
  /** Ids of the received events, in the order of receipt. */
  readonly events: readonly string[]
  /** How often the stream was opened. */
  readonly opened: number
  /** What no subscriber may see, in words. */
  readonly faults: readonly string[]
  stop(): Promise<void>
}

const PAUSE_MS = 100

/** Follows the log from its current end. Resolves when the first stream has caught up. `url` is read for each stream. */
export async function followLogAt(url: () => string): Promise<LogFollower> {
  const events: string[] = []
  const faults: string[] = []
  const caughtUp = Promise.withResolvers<void>()
  let cursor: string | null = null
  let opened = 0
  let stopped = false
  let end = () => {}

  const readStream = async (): Promise<void> => {
    const token = await developerToken()
    const stream = openStream(url(), { query: EVENT_STREAM, variables: { after: cursor } }, { token })
    end = stream.cut
    opened += 1
    try {
      for (let item = await stream.next(); item !== null && !stopped; item = await stream.next()) {
        if (item.kind === 'RESYNC_REQUIRED') faults.push('a cursor was refused')
        if (item.kind === 'EVENT' && item.previousCursor !== cursor)
          faults.push('a cursor does not follow the last one')
        if (item.kind === 'EVENT') events.push(item.event?.id ?? '')
        cursor = item.cursor
        if (item.kind === 'CAUGHT_UP') caughtUp.resolve()
      }
    } finally {
      stream.cut()
    }
  }
  const run = async (): Promise<void> => {
    while (!stopped) {
      await readStream().catch(() => {})
      if (!stopped) await sleep(PAUSE_MS)
    }
  }
  const running = run()
  await caughtUp.promise
  return {
    events,
    faults,
    get opened() {
      return opened
    },
    async stop() {
      stopped = true
      end()
      await running
    },
  }
}

import { setTimeout as delay } from 'node:timers/promises'
import { withTimeout } from '../../lib/timeout.ts'
import { createListeningSession, type ListeningSession } from './listening-session.ts'

export type Notifications = {
  /** Sends a text to the listeners of all processes, one text at a time. Of those that wait only the last is sent. */
  send(text: string): void
  /** Whether notifications arrive at present. */
  readonly isConnected: boolean
  /** Resolves when what was to be sent has been sent, or after half a second. */
  close(): Promise<void>
}

/** `pooled`: there is a pooler, behind which no session can listen; no connection is kept. */
export type NotificationsState = 'listening' | 'lost' | 'pooled'

export type NotificationsOptions = {
  readonly url: string
  readonly channel: string
  onText(text: string): void
  /** Called when this process listens, also again: texts before that may have been missed. */
  onConnected(): void
  /** Called when the state has changed. */
  onState(state: NotificationsState): void
}

const FIRST_RETRY_MS = 50
const LAST_RETRY_MS = 5_000
const LAST_SEND_MS = 500

/**
 * Listens on a channel of the database (LISTEN and NOTIFY), over a connection of its own, which is restored for ever. A text is sent in a
 * transaction of its own on this connection: it delays no commit.
 */
export function openNotifications(options: NotificationsOptions): Notifications {
  let state: NotificationsState | null = null
  let session: ListeningSession | null = null
  let unsent: string | null = null
  let isSending = false
  /** The last call of `sendAll`. */
  let sent = Promise.resolve()
  let closed = false

  const become = (next: NotificationsState): void => {
    if (state === next || closed) return
    state = next
    options.onState(next)
  }
  const keepListening = async (): Promise<void> => {
    for (let attempt = 0; !closed; attempt += 1) {
      try {
        session = createListeningSession(options)
        if ((await session.start()) === 'pooled') return become('pooled')
        attempt = 0
        become('listening')
        options.onConnected()
        send()
        await session.ended
      } catch {
        // The next attempt follows.
      } finally {
        session?.end()
        session = null
      }
      become('lost')
      await delay(retryInMs(attempt), undefined, { ref: false })
    }
  }
  const sendAll = async (): Promise<void> => {
    isSending = true
    while (unsent !== null && session !== null && state === 'listening') {
      const text = unsent
      unsent = null
      try {
        await session.run('SELECT pg_notify($1, $2)', [options.channel, text])
      } catch {
        unsent ??= text
        break
      }
    }
    isSending = false
  }
  const send = (): void => {
    if (!isSending) sent = sendAll()
  }

  void keepListening()
  return {
    send(text) {
      unsent = text
      send()
    },
    get isConnected() {
      return state === 'listening'
    },
    async close() {
      await withTimeout(sent, LAST_SEND_MS, () => {})
      closed = true
      session?.end()
    },
  }
}

/** Returns a delay that doubles, less up to a quarter of it, so that the nodes do not all come back at once. */
function retryInMs(attempt: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** Math.min(attempt, 10), LAST_RETRY_MS) * (1 - Math.random() / 4)
}

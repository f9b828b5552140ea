import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { withTimeout } from '../../lib/timers.ts'
import { ANSWER_MS, assertStillUsable, clientConfig, createSockets, guarded } from './postgres-connection.ts'

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

/** Milliseconds between two checks that the server answers: a peer may be gone without a word. */
const CHECK_MS = 5_000

/** One connection that listens, until it is lost. */
export type ListeningSession = {
  /** Connects and listens. Rejects with `StoreFailure`, or with an error of the driver. */
  start(): Promise<'listening' | 'pooled'>
  run(sql: string, parameters: readonly unknown[]): Promise<unknown>
  /** Resolves when the connection is lost, or after `end`. */
  readonly ended: Promise<void>
  end(): void
}

export type ListeningSessionOptions = {
  readonly url: string
  readonly channel: string
  onText(text: string): void
}

/** Creates a session that is not connected yet. */
function createListeningSession({ url, channel, onText }: ListeningSessionOptions): ListeningSession {
  const sockets = createSockets()
  const config = clientConfig(url, sockets, ANSWER_MS)
  const client = new Client(config)
  const connection = guarded(client, config.pooler)
  const { promise: ended, resolve: onEnded } = Promise.withResolvers<void>()
  let checks: NodeJS.Timeout | undefined
  client.on('notification', ({ payload }) => onText(payload ?? ''))
  client.on('error', () => onEnded())
  client.on('end', () => onEnded())

  const run: ListeningSession['run'] = async (sql, parameters) => {
    try {
      return await connection.run(sql, parameters)
    } finally {
      if (connection.broken) onEnded()
    }
  }
  return {
    async start() {
      await client.connect()
      await assertStillUsable(connection)
      if (connection.shared) return 'pooled'
      await connection.run(`LISTEN ${client.escapeIdentifier(channel)}`)
      checks = setInterval(() => void run('SELECT 1', []).catch(() => {}), CHECK_MS)
      checks.unref()
      return 'listening'
    },
    run,
    ended,
    end() {
      clearInterval(checks)
      onEnded()
      // Not awaited, because a server that hangs does not answer.
      void client.end().catch(() => {})
      sockets.close()
    },
  }
}

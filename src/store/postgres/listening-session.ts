import { Client } from 'pg'
import { ANSWER_MS, assertStillUsable, clientConfig, createSockets, guarded } from './postgres-connection.ts'

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
export function createListeningSession({ url, channel, onText }: ListeningSessionOptions): ListeningSession {
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

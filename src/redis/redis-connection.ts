import { Cluster, Redis } from 'ioredis'
import type { RedisConfig } from '../config/database.ts'
import { withTimeout } from '../lib/timers.ts'
import type { Logger } from '../observability/logger.ts'
import { RedisFailure, toRedisFailure } from './redis-failure.ts'

/** Redis as this process uses it: never needed, so every use has a way to go on without it. */
export type RedisConnection = {
  /** Whether the server answers. While it does not, `run` rejects at once. */
  readonly isConnected: boolean
  /**
   * Runs commands. Rejects with `RedisFailure`: at once without a connection, when the server refuses, or when it does not answer
   * within half a second; then the commands may have had their effect.
   */
  run<Result>(use: (commands: RedisClient) => Promise<Result>): Promise<Result>
  /** Adds a listener that is called each time that the server answers again, and the first time. */
  onConnected(listener: () => void): void
  /** Returns the client for subscriptions, which is connected with the first call. It ends with this connection. */
  subscriber(): RedisClient
  close(): void
}

type RedisOptions = { readonly logger: Logger }

const ANSWER_MS = 500
/** Milliseconds between two checks that the server answers. */
const CHECK_MS = 2_000

/**
 * Begins to connect to Redis and returns at once. The connection is restored for ever; that it was lost, and that it is back, is
 * logged once each. A server that takes connections and does not answer counts as lost.
 */
export function openRedis(config: RedisConfig, { logger }: RedisOptions): RedisConnection {
  const client = createRedisClient(config)
  const listeners: (() => void)[] = []
  let subscriber: RedisClient | null = null
  let isConnected = false
  /** The last thing that was logged; null before that. */
  let logged: 'lost' | 'back' | null = null
  let lastCode = 'DOWN'
  let closed = false

  const lose = (): void => {
    isConnected = false
    if (closed || logged === 'lost') return
    logged = 'lost'
    logger.warn({ code: lastCode }, 'Redis does not answer: this process continues without it')
  }
  const gain = (): void => {
    if (isConnected || closed) return
    isConnected = true
    if (logged === 'lost') logger.info({}, 'Redis is back')
    logged = 'back'
    for (const listener of listeners) listener()
  }
  const check = async (): Promise<void> => {
    if (client.status !== 'ready') return
    try {
      await withTimeout(client.ping(), ANSWER_MS, timedOut)
      gain()
    } catch (error) {
      lastCode = toRedisFailure(error).code
      lose()
    }
  }

  client.on('error', (error: unknown) => {
    lastCode = toRedisFailure(error).code
  })
  client.on('ready', () => void check())
  client.on('close', lose)
  connected(client)
  const checks = setInterval(() => void check(), CHECK_MS)
  checks.unref()

  return {
    get isConnected() {
      return isConnected
    },
    async run(use) {
      if (!isConnected) throw new RedisFailure('DOWN')
      try {
        return await withTimeout(use(client), ANSWER_MS, () => {
          // The callers that come next do not wait for it: the check finds out when it answers again.
          lastCode = 'ETIMEDOUT'
          lose()
          void check()
          return timedOut()
        })
      } catch (error) {
        throw toRedisFailure(error)
      }
    },
    onConnected: (listener) => void listeners.push(listener),
    subscriber() {
      // A client of a cluster opens connections of their own for subscriptions.
      subscriber ??= client.isCluster ? client : connected(createRedisClient(config))
      return subscriber
    },
    close() {
      closed = true
      isConnected = false
      clearInterval(checks)
      client.disconnect()
      subscriber?.disconnect()
    },
  }
}

/** Begins to connect. Failures are events of the client, which tries again. */
function connected(client: RedisClient): RedisClient {
  client.on('error', () => {})
  client.connect().catch(() => {})
  return client
}

function timedOut(): never {
  throw new RedisFailure('ETIMEDOUT')
}

/** A connection to one server, or the connections to the nodes of a cluster. The commands are the same. */
export type RedisClient = Redis | Cluster

const CONNECT_MS = 3_000
const KEEP_ALIVE_MS = 10_000
/** Milliseconds without any answer to a command, after which the connection is replaced: its peer may be gone without a word. */
const SILENCE_MS = 3_000

const FIRST_RETRY_MS = 50
const LAST_RETRY_MS = 2_000

/**
 * Creates a client that connects when told to, and then again for ever. Commands are rejected while it is not connected: nothing is
 * queued or sent twice.
 */
export function createRedisClient(config: RedisConfig): RedisClient {
  const { host, port, cluster } = config
  if (!cluster)
    return new Redis({ ...optionsOf(config), host, port, enableOfflineQueue: false, retryStrategy: retryInMs })
  return new Cluster([{ host, port }], {
    lazyConnect: true,
    enableOfflineQueue: false,
    clusterRetryStrategy: retryInMs,
    clusterNodeRetryStrategy: retryInMs,
    shardedSubscribers: true,
    // Commands of one turn of the event loop share a round trip to each node.
    enableAutoPipelining: true,
    // In a pipeline the driver would remember only the first channel, and not renew the others with a connection.
    autoPipeliningIgnoredCommands: ['ssubscribe', 'sunsubscribe'],
    // A certificate is for the name of a node, not for its address.
    dnsLookup: (address, done) => done(null, address),
    redisOptions: optionsOf(config),
  })
}

function optionsOf({ tls, username, password, database }: RedisConfig) {
  return {
    lazyConnect: true,
    connectionName: 'payments-subgraph',
    disableClientInfo: true,
    ...(username !== null && { username }),
    ...(password !== null && { password: password.reveal() }),
    db: database,
    ...(tls && { tls: { rejectUnauthorized: true } }),
    connectTimeout: CONNECT_MS,
    keepAlive: KEEP_ALIVE_MS,
    socketTimeout: SILENCE_MS,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
  } as const
}

/** Returns a delay that doubles up to two seconds, less up to a quarter of it, so that the nodes do not all come back at once. */
function retryInMs(attempt: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** Math.min(attempt - 1, 10), LAST_RETRY_MS) * (1 - Math.random() / 4)
}

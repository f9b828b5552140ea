import { Cluster, Redis } from 'ioredis'
import type { RedisConfig } from '../config/redis.ts'

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

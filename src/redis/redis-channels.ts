import type { Logger } from '../observability/logger.ts'
import type { RedisConnection } from './redis-connection.ts'
import { createRedisPublisher, type RedisPublisher } from './redis-publisher.ts'
import { createRedisSubscriptions, type RedisSubscriptions } from './redis-subscriptions.ts'

/** Channels of Redis. On a cluster they are sharded, so that a message goes only to the node that its subscribers are connected to. */
export type RedisChannels = Pick<RedisPublisher, 'publish'> &
  Pick<RedisSubscriptions, 'add' | 'remove'> & {
    /** Whether there is a connection that messages arrive on. */
    readonly isConnected: boolean
    /** Resolves when what was published has been sent, or has failed. */
    close(): Promise<void>
  }

export type RedisChannelsOptions = {
  readonly redis: RedisConnection
  readonly logger: Logger
  onText(text: string): void
  /** Called when the server has confirmed subscriptions. Messages before that may have been missed. */
  onAdded(): void
}

/** Milliseconds between two checks of the connection, after which refused subscriptions are also tried again. */
const CHECK_MS = 2_000
/** Milliseconds after which a cluster has confirmed what the driver subscribes to by itself. */
const RESUBSCRIBED_MS = 1_000

/** Opens the connection for subscriptions, which is restored with its channels. */
export function openRedisChannels({ redis, logger, onText, onAdded }: RedisChannelsOptions): RedisChannels {
  const client = redis.subscriber()
  const publisher = createRedisPublisher(redis)
  const subscriptions = createRedisSubscriptions({ client, logger, onAdded })
  client.on(client.isCluster ? 'smessage' : 'message', (_channel: string, text: string) => onText(text))
  client.on('ready', () => {
    // The driver renews those of a cluster, whose nodes have a connection each.
    if (client.isCluster) void subscriptions.settle()
    else subscriptions.renew()
  })
  const onResubscribed = (): void => {
    onAdded()
    setTimeout(onAdded, RESUBSCRIBED_MS).unref()
  }
  client.on('subscribersReady', onResubscribed)
  const checks = setInterval(() => {
    if (client.status !== 'ready') return
    // Without an answer the driver replaces the connection.
    client.ping().catch(() => {})
    void subscriptions.settle()
  }, CHECK_MS)
  checks.unref()

  return {
    publish: publisher.publish,
    add: subscriptions.add,
    remove: subscriptions.remove,
    get isConnected() {
      return client.status === 'ready'
    },
    async close() {
      clearInterval(checks)
      client.off('subscribersReady', onResubscribed)
      await publisher.idle()
    },
  }
}

import { setImmediate } from 'node:timers/promises'
import { withTimeout } from '../lib/timers.ts'
import type { Logger } from '../observability/logger.ts'
import type { RedisClient, RedisConnection } from './redis-connection.ts'
import { toRedisFailure, RedisFailure } from './redis-failure.ts'

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

/** A text and its channel. */
export type RedisMessage = readonly [channel: string, text: string]

export type RedisPublisher = {
  /**
   * Publishes texts, and again those that Redis did not answer. Of those that wait for one channel only the last is sent; when too many
   * wait, they are dropped.
   */
  publish(messages: readonly RedisMessage[]): void
  /** Resolves when nothing is being sent. */
  idle(): Promise<void>
}

/** Messages per round trip. */
const CHUNK = 500
/** Messages that wait for Redis. */
const MAX_UNSENT = 10_000

/** Creates a publisher with one round trip at a time. What Redis did not answer waits until it is back. */
function createRedisPublisher(redis: RedisConnection): RedisPublisher {
  const unsent = new Map<string, string>()
  let isSending = false
  /** The last call of `sendAll`. */
  let sent = Promise.resolve()
  const sendAll = async (): Promise<void> => {
    isSending = true
    while (unsent.size > 0 && redis.isConnected) {
      const messages = [...unsent.entries().take(CHUNK)]
      for (const [channel] of messages) unsent.delete(channel)
      try {
        await redis.run((commands) => publish(commands, messages))
      } catch (error) {
        if (toRedisFailure(error).isRefusal) continue
        for (const [channel, text] of messages) if (!unsent.has(channel)) unsent.set(channel, text)
        break
      }
    }
    isSending = false
  }
  const send = (): void => {
    if (!isSending) sent = sendAll()
  }
  redis.onConnected(send)
  return {
    publish(messages) {
      if (unsent.size > MAX_UNSENT) unsent.clear()
      for (const [channel, text] of messages) unsent.set(channel, text)
      send()
    },
    idle: () => sent,
  }
}

async function publish(client: RedisClient, messages: readonly RedisMessage[]): Promise<void> {
  if (client.isCluster) return void (await Promise.all(messages.map((message) => client.spublish(...message))))
  const pipeline = client.pipeline()
  for (const message of messages) pipeline.publish(...message)
  // Errors are among the results.
  for (const [error] of (await pipeline.exec()) ?? []) if (error !== null) throw error
}

/** The channels that a client is to be subscribed to. */
export type RedisSubscriptions = {
  add(channel: string): void
  remove(channel: string): void
  /** Subscribes to all channels anew: the connection is another one. */
  renew(): void
  /** Tries again what has failed. */
  settle(): Promise<void>
}

export type SubscriptionsOptions = {
  readonly client: RedisClient
  readonly logger: Logger
  /** Called when the server has confirmed subscriptions. */
  onAdded(): void
}

/** Channels per round trip: others are served between two of them. */
/** Milliseconds after which subscriptions without an answer are tried again. */
const CONFIRM_MS = 3_000

/** Keeps a client subscribed to channels, with one round trip at a time. Those that are added at once share it. */
function createRedisSubscriptions({ client, logger, onAdded }: SubscriptionsOptions): RedisSubscriptions {
  const wanted = new Set<string>()
  const confirmed = new Set<string>()
  /** Channels for which these two may differ. */
  const changed = new Set<string>()
  const onSettled = logRefusals(logger)
  let settling = false

  const settle = async (): Promise<void> => {
    if (settling) return
    settling = true
    // Subscriptions of the same turn of the event loop share a command.
    await setImmediate()
    try {
      while (changed.size > 0 && client.status === 'ready') await settleSome()
      onSettled(null)
    } catch (error) {
      onSettled(toRedisFailure(error))
    } finally {
      settling = false
    }
  }
  const settleSome = async (): Promise<void> => {
    const some = [...changed.values().take(CHUNK)]
    const added = some.filter((channel) => wanted.has(channel) && !confirmed.has(channel))
    const removed = some.filter((channel) => !wanted.has(channel) && confirmed.has(channel))
    for (const channel of some) changed.delete(channel)
    try {
      // On a cluster an answer may be lost with a connection that the driver replaces.
      await withTimeout(Promise.all([subscribe(client, added), unsubscribe(client, removed)]), CONFIRM_MS, () => {
        throw new RedisFailure('ETIMEDOUT')
      })
    } catch (error) {
      for (const channel of some) changed.add(channel)
      throw error
    }
    for (const channel of added) confirmed.add(channel)
    for (const channel of removed) confirmed.delete(channel)
    if (added.length > 0) onAdded()
  }

  return {
    add(channel) {
      wanted.add(channel)
      changed.add(channel)
      void settle()
    },
    remove(channel) {
      wanted.delete(channel)
      changed.add(channel)
      void settle()
    },
    renew() {
      confirmed.clear()
      for (const channel of wanted) changed.add(channel)
      void settle()
    },
    settle,
  }
}

async function subscribe(client: RedisClient, channels: readonly string[]): Promise<void> {
  if (channels.length === 0) return
  // Channels of one command would have to be of one node.
  if (client.isCluster) await Promise.all(channels.map((channel) => client.ssubscribe(channel)))
  else await client.subscribe(...channels)
}

async function unsubscribe(client: RedisClient, channels: readonly string[]): Promise<void> {
  if (channels.length === 0) return
  if (client.isCluster) await Promise.all(channels.map((channel) => client.sunsubscribe(channel)))
  else await client.unsubscribe(...channels)
}

/** Logs that the server refuses subscriptions, once until it takes them again. */
function logRefusals(logger: Logger): (failure: RedisFailure | null) => void {
  let isRefused = false
  return (failure) => {
    if (failure?.isRefusal === true && !isRefused)
      logger.warn({ code: failure.code }, 'Redis refuses a subscription: events of other nodes are found by polling')
    isRefused = failure?.isRefusal ?? false
  }
}

import { setImmediate } from 'node:timers/promises'
import { withTimeout } from '../lib/timeout.ts'
import type { Logger } from '../observability/logger.ts'
import type { RedisClient } from './redis-client.ts'
import { RedisFailure, toRedisFailure } from './redis-failure.ts'

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
const CHUNK = 500
/** Milliseconds after which subscriptions without an answer are tried again. */
const CONFIRM_MS = 3_000

/** Keeps a client subscribed to channels, with one round trip at a time. Those that are added at once share it. */
export function createRedisSubscriptions({ client, logger, onAdded }: SubscriptionsOptions): RedisSubscriptions {
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

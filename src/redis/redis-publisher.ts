import type { RedisClient } from './redis-client.ts'
import type { RedisConnection } from './redis-connection.ts'
import { toRedisFailure } from './redis-failure.ts'

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
export function createRedisPublisher(redis: RedisConnection): RedisPublisher {
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

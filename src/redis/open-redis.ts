import type { AppConfig } from '../config.ts'
import { sharedDigest, type KeyRing } from '../keys/key-ring.ts'
import type { Logger } from '../observability/logger.ts'
import type { RedisConnection } from './redis-connection.ts'
import { SHARE_NOTHING, type ShareCounts, shareCounts, createSharedState } from './shared-counts.ts'

/** Begins to connect to the configured Redis server; null if there is none. Its driver is loaded only then. */
export async function openConfiguredRedis(
  { redis }: Pick<AppConfig, 'redis'>,
  logger: Logger,
): Promise<RedisConnection | null> {
  if (redis === null) return null
  const { openRedis } = await import('./redis-connection.ts')
  return openRedis(redis, { logger })
}

type SharingParts = {
  readonly redis: RedisConnection | null
  readonly logId: string
  readonly keys: KeyRing
}

/** Counts the limits of the nodes on one database together through Redis; without it every process counts alone. */
export function openSharing({ redis, logId, keys }: SharingParts): { share: ShareCounts; close(): void } {
  if (redis === null) return { share: SHARE_NOTHING, close: () => {} }
  return shareCounts(createSharedState({ redis, logId, digest: (text) => sharedDigest(keys, text) }))
}

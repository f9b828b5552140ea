import type { Logger } from '../observability/logger.ts'
import type { RedisConnection } from '../redis/redis-connection.ts'
import type { AppConfig } from './app-config.ts'

/** Begins to connect to the configured Redis server; null if there is none. Its driver is loaded only then. */
export async function openRedisOf({ redis }: AppConfig, logger: Logger): Promise<RedisConnection | null> {
  if (redis === null) return null
  const { openRedis } = await import('../redis/redis-connection.ts')
  return openRedis(redis, { logger })
}

import type { AppConfig } from '../config.ts'
import type { Logger } from '../observability/logger.ts'
import type { RedisConnection } from '../redis/redis-connection.ts'
import type { NotificationsState } from '../store/postgres/notifications.ts'
import { createChannelWakeUps, createNotifiedWakeUps, NO_WAKE_UPS, type WakeUps } from './wake-ups.ts'

type WakeUpParts = { readonly redis: RedisConnection | null; readonly logId: string; readonly logger: Logger }

/** Opens the wake-ups between the nodes on one database: over Redis if it is configured, otherwise over PostgreSQL; none on SQLite. */
export async function openWakeUps(
  { database }: Pick<AppConfig, 'database'>,
  { redis, logId, logger }: WakeUpParts,
): Promise<WakeUps> {
  if (database.kind === 'sqlite') return NO_WAKE_UPS
  if (redis !== null) {
    const { openRedisChannels } = await import('../redis/redis-channels.ts')
    return createChannelWakeUps(logId, (listener) => openRedisChannels({ redis, logger, ...listener }))
  }
  const { openNotifications } = await import('../store/postgres/notifications.ts')
  return createNotifiedWakeUps((listener) =>
    openNotifications({
      url: database.url.reveal(),
      channel: `payments_${logId}`,
      onState: logState(logger),
      ...listener,
    }),
  )
}

/** Logs when notifications are lost and back, and why there are none. */
function logState(logger: Logger): (state: NotificationsState) => void {
  let wasLost = false
  return (state) => {
    if (state === 'lost')
      logger.warn({}, 'notifications of the database are lost: events of other nodes are found by polling')
    else if (state === 'pooled')
      logger.warn(
        { setting: 'DATABASE_URL' },
        'a pooler is in front of the database: events of other nodes are found by polling; name its server, or set REDIS_URL',
      )
    else if (wasLost) logger.info({}, 'notifications of the database are back')
    wasLost = state === 'lost'
  }
}

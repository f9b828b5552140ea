import { seal } from '../keys/derived-secrets.ts'
import { sharedDigest, type KeyRing } from '../keys/key-ring.ts'
import { createLedger } from '../ledger/ledger.ts'
import type { Logger } from '../observability/logger.ts'
import type { RedisConnection } from '../redis/redis-connection.ts'
import { SHARE_NOTHING, type ShareCounts, shareCounts, createSharedState } from '../redis/shared-counts.ts'
import type { MigrationListener } from '../store/migrate.ts'
import type { Database } from '../store/port.ts'
import type { NotificationsState } from '../store/postgres/notifications.ts'
import { openSqlite } from '../store/sqlite/sqlite.ts'
import type { Store } from '../store/store.ts'
import { createChannelWakeUps, createNotifiedWakeUps, NO_WAKE_UPS, type WakeUps } from '../streams/wake-ups.ts'
import type { AppConfig } from './services.ts'

type StoreParts = { readonly keys: KeyRing; readonly clock: () => Date; readonly logger: Logger }

/** Opens the store on the configured database. Throws `StoreUnusableError` if the database cannot be used. */
export async function openStore(config: AppConfig, parts: StoreParts): Promise<Store> {
  const { keys, clock, logger } = parts
  const { findsDuplicates, keepsCardTokens } = config
  const database = await openDatabase(config, clock, logger)
  const sealCardToken = keepsCardTokens ? (token: string) => seal(keys, 'card token', token) : null
  return createLedger(database, { findsDuplicates, sealCardToken })
}

async function openDatabase({ database, ...config }: AppConfig, clock: () => Date, logger: Logger): Promise<Database> {
  const listener: MigrationListener = {
    onMigration: (version) => logger.info({ version }, 'the database is brought up to date: this may take minutes'),
    onLaterMigrations: (versions) =>
      logger.info({ versions }, 'a later version has changed the database, and this version works with it'),
    onMigrationWait: () =>
      logger.info({}, 'the database is brought up to date: waiting for another node or transaction'),
  }
  if (database.kind === 'sqlite') {
    const onWait = () => logger.info({}, 'the database is in use by a process that is ending: waiting for it')
    return openSqlite({
      path: database.path,
      cacheRows: config.shortcuts.includes('recentRows'),
      onWait,
      clock,
      ...listener,
    })
  }
  const { openPostgres } = await import('../store/postgres/postgres.ts')
  return openPostgres({ url: database.url.reveal(), clock, ...listener })
}

type WakeUpParts = { readonly redis: RedisConnection | null; readonly logId: string; readonly logger: Logger }

/** Opens the wake-ups between the nodes on one database: over Redis if it is configured, otherwise over PostgreSQL; none on SQLite. */
export async function openWakeUps({ database }: AppConfig, { redis, logId, logger }: WakeUpParts): Promise<WakeUps> {
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

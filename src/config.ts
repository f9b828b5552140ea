import { randomBytes } from 'node:crypto'
import { type DatabaseConfig, parseDatabase } from './config/database.ts'
import { readLimits } from './config/limits.ts'
import { readMonitoring } from './config/monitoring.ts'
import {
  type ConfigFault,
  startReading,
  type Environment,
  type SettingReader,
  oneOf,
  parseLine,
  wholeNumber,
} from './config/read-setting.ts'
import { readRedis } from './config/redis.ts'
import { readRetention } from './config/retention-settings.ts'
import {
  Generated,
  readCallbackKeys,
  readClients,
  readHttp,
  readRouter,
  readSecrets,
  readUpstream,
} from './config/sections.ts'
import type { Config, GenerateKey } from './config/shape.ts'
import { unknownSettings } from './config/unknown-settings.ts'
import { parseCollector, parseServerOrigins } from './config/urls.ts'
import { checkVerification } from './config/verification.ts'
import { deeplyFrozen } from './lib/deeply-frozen.ts'
import { LOG_LEVELS } from './observability/logger.ts'

export { describeFaults } from './config/read-setting.ts'
export type { ConfigFault } from './config/read-setting.ts'
export type { OperationLimits } from './config/limits.ts'
export type { Environment } from './config/read-setting.ts'
export type { RedisConfig } from './config/redis.ts'
export type { ClientsConfig, Config, GenerateKey, UpstreamConfig } from './config/shape.ts'
export type { SiteConfig } from './config/site-settings.ts'

/** A configuration, or all faults of the environment. */
export type ConfigResult =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly faults: readonly ConfigFault[] }

const WARM_UP_MS = 1_000
const DATABASE: DatabaseConfig = { kind: 'sqlite', path: './data/payments.db' }

/**
 * Reads the configuration from environment variables. All faults are reported at once, by the setting's name and never by its
 * value; an empty setting counts as unset. With the built-in sandbox no setting is required: keys come from `generate`, and the
 * result names the settings they replace. NODE_ENV or UPSTREAM_ENVIRONMENT decides what is production. The result depends on the
 * two arguments only.
 */
export function parseConfig(env: Environment, generate: GenerateKey = randomKey): ConfigResult {
  const reading = startReading(env)
  const generated = new Generated(generate)
  reading.read('NODE_ENV', oneOf(['development', 'test', 'production']), null)
  const database = reading.read('DATABASE_URL', parseDatabase, DATABASE)
  const config: Config = {
    production: reading.production,
    http: readHttp(reading),
    monitoring: readMonitoring(reading),
    upstream: readUpstream(reading, database),
    webhooks: { secrets: readSecrets(reading, 'WEBHOOK_SECRETS', generated) },
    signingKeys: readSecrets(reading, 'SIGNING_KEYS', generated),
    callbackKeys: readCallbackKeys(reading),
    clients: readClients(reading, generated),
    router: readRouter(reading),
    callbackOrigins: reading.read('CALLBACK_ORIGINS', parseServerOrigins, []),
    database,
    retention: readRetention(reading),
    redis: readRedis(reading, database),
    sendLinkReference: reading.read('UPSTREAM_LINK_REFERENCE', oneOf(['meta_data', 'off']), 'meta_data') !== 'off',
    findsDuplicates: reading.read('DUPLICATE_PAYMENTS', oneOf(['find', 'off']), 'find') === 'find',
    reconcilesDaily: reading.read('DAILY_RECONCILIATION', oneOf(['on', 'off']), 'off') === 'on',
    refundWindowDays: reading.read('REFUND_WINDOW_DAYS', wholeNumber(1, 1_000), 180),
    tracesEndpoint: reading.read('OTEL_EXPORTER_OTLP_ENDPOINT', parseCollector, null),
    trustedDocuments: reading.read('TRUSTED_DOCUMENTS', parseLine, null),
    limits: readLimits(reading),
    executionShortcuts: reading.read('EXECUTION_SHORTCUTS', oneOf(['all', 'none']), 'all') === 'all',
    sdlScopes: reading.read('SDL_SCOPES', oneOf(['all', 'none']), 'all') === 'all',
    warmUpMs: reading.read('WARM_UP_MS', wholeNumber(0, 60_000), WARM_UP_MS),
    logLevel: reading.read('LOG_LEVEL', oneOf(LOG_LEVELS), 'info'),
    generated: generated.settings,
    warnings: reading.warnings,
  }
  checkTogether(config, reading)
  checkVerification(config.database, reading)
  const faults = [...reading.faults, ...unknownSettings(env)]
  return faults.length === 0 ? { ok: true, config: deeplyFrozen(config) } : { ok: false, faults }
}

/** Checks settings that are valid by themselves but not together. */
function checkTogether(
  { http, monitoring: { admin }, router, callbackOrigins, upstream, webhooks, signingKeys, callbackKeys }: Config,
  reading: SettingReader,
): void {
  if (callbackOrigins.length > 0 && router.kind !== 'guarded')
    reading.fault(
      'CALLBACK_ORIGINS',
      'needs ROUTER_SECRETS: otherwise any client could have us send requests to the routers',
    )
  if (upstream.kind === 'built-in-sandbox' && http.port === upstream.port && http.port !== 0) {
    reading.fault('SANDBOX_PORT', 'is the same as PORT')
  }
  if (admin !== null && admin.port === http.port && admin.port !== 0) reading.fault('ADMIN_PORT', 'is the same as PORT')
  const credentials = new Set(upstream.sites?.map((site) => site.secretKey.reveal()))
  const lists = { WEBHOOK_SECRETS: webhooks.secrets, SIGNING_KEYS: signingKeys, CALLBACK_KEYS: callbackKeys ?? [] }
  for (const [setting, secrets] of Object.entries(lists)) {
    const entry = secrets.findIndex((secret) => credentials.has(secret.reveal()))
    if (entry !== -1)
      reading.fault(setting, `entry ${entry + 1} is the secretKey of a site in UPSTREAM_SITES: use another secret`)
  }
}

function randomKey(): string {
  return randomBytes(32).toString('base64url')
}

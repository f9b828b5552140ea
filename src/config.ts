import { randomBytes } from 'node:crypto'
import { type DatabaseConfig, parseDatabase, readRedis, checkVerification } from './config/database.ts'
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
  parseCollector,
  parseServerOrigins,
} from './config/read-setting.ts'
import { readRetention } from './config/retention-settings.ts'
import {
  Generated,
  readCallbackKeys,
  readClients,
  readHttp,
  readProxies,
  readRouter,
  readSecrets,
  readUpstream,
  type Config,
  type GenerateKey,
} from './config/sections.ts'
import { deeplyFrozen } from './lib/deeply-frozen.ts'
import { LOG_LEVELS } from './observability/logger.ts'

export { describeFaults, type ConfigFault, type Environment } from './config/read-setting.ts'
export type { OperationLimits } from './config/limits.ts'
export type { RedisConfig } from './config/database.ts'
export type { ClientsConfig, Config, GenerateKey, UpstreamConfig } from './config/sections.ts'
export type { SiteConfig } from './config/credentials.ts'

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
    proxies: readProxies(reading),
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

/** The names of all settings. */
export const SETTINGS = [
  'NODE_ENV',
  'HOST',
  'PORT',
  'PUBLIC_URL',
  'ALLOWED_ORIGINS',
  'ALLOWED_HOSTS',
  'TRUST_PROXY',
  'SOCKET_LIMITS',
  'MAX_CONNECTIONS_PER_ADDRESS',
  'MAX_FAILED_AUTHENTICATIONS',
  'GRAPHQL_MAX_IN_FLIGHT',
  'ADMIN_HOST',
  'ADMIN_PORT',
  'METRICS_TOKEN',
  'WARM_UP_MS',
  'UPSTREAM_URL',
  'UPSTREAM_ENVIRONMENT',
  'UPSTREAM_SITES',
  'SANDBOX_PORT',
  'SANDBOX_DATABASE_URL',
  'UPSTREAM_LINK_REFERENCE',
  'DUPLICATE_PAYMENTS',
  'DAILY_RECONCILIATION',
  'WEBHOOK_SECRETS',
  'SIGNING_KEYS',
  'CALLBACK_KEYS',
  'JWT_SECRET',
  'JWT_JWKS_URL',
  'JWT_ISSUER',
  'JWT_AUDIENCE',
  'ROUTER_SECRETS',
  'SDL_SCOPES',
  'CALLBACK_ORIGINS',
  'HTTPS_PROXY',
  'HTTP_PROXY',
  'NO_PROXY',
  'DATABASE_URL',
  'REDIS_URL',
  'RETENTION_EVENTS_DAYS',
  'RETENTION_DELIVERIES_DAYS',
  'RETENTION_DELIVERY_KEYS_DAYS',
  'ARCHIVE_URL',
  'TRUSTED_DOCUMENTS',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'GRAPHQL_MAX_TOKENS',
  'GRAPHQL_MAX_DEPTH',
  'GRAPHQL_MAX_ALIASES',
  'GRAPHQL_MAX_ROOT_FIELDS',
  'GRAPHQL_MAX_DIRECTIVES',
  'GRAPHQL_MAX_COST',
  'GRAPHQL_MAX_PAGE',
  'GRAPHQL_MAX_ENTITIES',
  'GRAPHQL_MAX_VARIABLES_BYTES',
  'GRAPHQL_MAX_BODY_BYTES',
  'GRAPHQL_ROUTER_MAX_ENTITIES',
  'GRAPHQL_ROUTER_MAX_COST',
  'GRAPHQL_ROUTER_MAX_BYTES',
  'GRAPHQL_TIMEOUT_MS',
  'EXECUTION_SHORTCUTS',
  'RESPONSE_COMPRESSION',
  'LOG_LEVEL',
] as const

/** Only names with our prefixes can be distinguished from settings of other programs. */
const OURS =
  /^(?:UPSTREAM|WEBHOOK|SIGNING|JWT|ROUTER|TRUST|TRUSTED|SANDBOX|ALLOWED|CALLBACK|GRAPHQL|SOCKET|RETENTION|ARCHIVE)_/

/** Kubernetes and Docker set these for every neighbouring service, which may be named `router` or `sandbox`. */
const SET_BY_ORCHESTRATOR =
  /_SERVICE_PORT_|_(?:SERVICE_HOST|SERVICE_PORT|PORT(?:_\d{1,5}_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?)$/

const NEAR = 4

/** Returns names that look like our settings but are unknown: most likely misspelt, and so without effect. */
function unknownSettings(env: Environment): ConfigFault[] {
  const known: ReadonlySet<string> = new Set(SETTINGS)
  return Object.keys(env)
    .filter((name) => env[name] && OURS.test(name) && !known.has(name) && !SET_BY_ORCHESTRATOR.test(name))
    .sort()
    .map((setting) => ({ setting, message: `is not a setting${suggestionFor(setting)}` }))
}

function suggestionFor(name: string): string {
  const [nearest] = SETTINGS.map((setting) => ({ setting, distance: distanceBetween(name, setting) })).sort(
    (one, other) => one.distance - other.distance,
  )
  return nearest !== undefined && nearest.distance <= NEAR ? `; is ${nearest.setting} meant?` : ''
}

/** Returns the Levenshtein distance: the number of letters to add, remove or change. */
function distanceBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [index, letter] of one.split('').entries()) {
    const next = [index + 1]
    for (const [place, target] of other.split('').entries()) {
      const changed = (row[place] ?? 0) + (letter === target ? 0 : 1)
      next.push(Math.min(changed, (row[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

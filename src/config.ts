import { randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import { bareHost, isLoopbackHost } from 'payments-subgraph-lib/known-hosts'
import type { DatabaseConfig } from './config/database.ts'
import { GRAPHQL_LIMITS, SOCKET_LIMITS } from './config/limits.ts'
import { LOOPBACK_ORIGINS } from './config/parsers.ts'
import {
  type ConfigFault,
  describeFaults,
  type Environment,
  type GenerateKey,
  Reading,
  unknownSettings,
} from './config/reading.ts'
import { ANY, NONE, SETTINGS, type Settings } from './config/settings.ts'
import { deeplyFrozen } from './lib/deeply-frozen.ts'

export { describeFaults, type ConfigFault, type Environment, type GenerateKey } from './config/reading.ts'

/** A configuration, or all faults of the environment. */
export type ConfigResult =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly faults: readonly ConfigFault[] }

/** All settings of the operator, frozen: as they are in the table of settings, unless one depends on others. */
export type Config = ReturnType<typeof configOf>
/** A configuration with a payments API: if the built-in sandbox was configured, it has been started. */
export type AppConfig = Omit<Config, 'upstream'> & { readonly upstream: Extract<UpstreamConfig, { kind: 'service' }> }
export type HttpConfig = Config['http']
/** Limits of one operation, the same over every transport. */
export type OperationLimits = Config['limits']
/** The payments API, or the built-in sandbox. */
export type UpstreamConfig = Config['upstream']
/** How client tokens are verified; an issuer or audience of null is not checked. */
export type ClientsConfig = Config['clients']

/**
 * Reads the configuration from environment variables. All faults are reported at once, by the setting's name and never by its
 * value; an empty setting counts as unset. With the built-in sandbox no setting is required: keys come from `generate`, and the
 * result names the settings they replace. NODE_ENV or UPSTREAM_ENVIRONMENT decides what is production. The result depends on the
 * two arguments, and on the files that the environment names, only.
 */
export function parseConfig(env: Environment, generate: GenerateKey = randomKey): ConfigResult {
  const reading = new Reading(env, generate)
  const config = configOf(reading.valuesOf(SETTINGS), reading)
  checkTogether(config, reading)
  checkVerification(config.database, reading)
  const faults = [...reading.faults, ...unknownSettings(env)]
  return faults.length === 0 ? { ok: true, config: deeplyFrozen(config) } : { ok: false, faults }
}

/** A program cannot start with its settings. The message names each setting that is wrong, and no value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly code = 'CONFIG'
  readonly safeMessage = true
  readonly faults: readonly ConfigFault[]

  constructor(faults: readonly ConfigFault[]) {
    super(describeFaults(faults))
    this.faults = faults
  }
}

/**
 * Returns the configuration of a program that embeds the subgraph. Throws `ConfigError` for wrong settings, and without a payments API: the
 * built-in sandbox is part of the command alone.
 */
export function readAppConfig(given: Config | Environment): AppConfig {
  const parsed: ConfigResult = isConfig(given) ? { ok: true, config: given } : parseConfig(given)
  if (!parsed.ok) throw new ConfigError(parsed.faults)
  const { upstream } = parsed.config
  if (upstream.kind !== 'service')
    throw new ConfigError([{ setting: 'UPSTREAM_URL', message: 'is required: only the command starts a sandbox' }])
  return { ...parsed.config, upstream }
}

function isConfig(given: Config | Environment): given is Config {
  return typeof given['upstream'] === 'object'
}

function randomKey(): string {
  return randomBytes(32).toString('base64url')
}

function configOf(values: Settings, reading: Reading) {
  const { http, monitoring, database, proxies } = values
  return {
    ...values,
    production: reading.production,
    http: {
      ...http,
      allowedHosts: http.allowedHosts ?? [],
      socketLimits: http.socketLimits ?? SOCKET_LIMITS,
      limits: { ...http.limits, trustProxy: http.limits.trustProxy ?? [] },
      /** Without a trailing slash. If `port` is 0 and no public URL is set, it ends in `:0` until the port is known. */
      publicUrl: http.publicUrl ?? `http://${reachable(http.host)}:${http.port}`,
      // Front ends under development have a port of their own. No page of another machine has such an origin.
      allowedOrigins: http.allowedOrigins ?? (reading.builtInSandbox ? [LOOPBACK_ORIGINS] : []),
    },
    monitoring: { admin: adminOf(monitoring, reading), metrics: metricsOf(monitoring, reading) },
    upstream: upstreamOf(values, reading),
    webhooks: { secrets: reading.keysOf('WEBHOOK_SECRETS', values.webhooks.secrets) },
    signingKeys: reading.keysOf('SIGNING_KEYS', values.signingKeys),
    clients: clientsOf(values, reading),
    router: routerOf(values, reading),
    limits: { ...(values.limits ?? GRAPHQL_LIMITS), router: ROUTER_LIMITS },
    callbackOrigins: values.callbackOrigins ?? [],
    shutdownDelayMs: values.shutdownDelayMs ?? (reading.production ? SHUTDOWN_DELAY_MS : 0),
    removedKeys: values.removedKeys ?? [],
    proxies: {
      http: proxies.http ?? '',
      https: proxies.https ?? '',
      none: [proxies.none ?? [], OWN_HOSTS].flat().join(','),
    },
    database,
    generated: reading.generated,
    warnings: reading.warnings,
  } as const
}

/**
 * Of a request with one of the secrets of routers: representations in `_entities`, their cost, and bytes of the body and of the variables.
 */
const ROUTER_LIMITS = { entities: 1_000, cost: 20_000, bytes: 1_048_576 }

/** Hosts of this machine, which no proxy reaches. */
const OWN_HOSTS = ['localhost', '127.0.0.1', '::1']

/** Returns an address at which this machine reaches a server that listens on `host`. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

const ADMIN_PORT = 9464
/** More than the five seconds that load balancers may take to notice; the whole end then fits into the 30 seconds that Kubernetes allows. */
const SHUTDOWN_DELAY_MS = 8_000

/** Returns the address of the separate server for metrics and probes; null for none. */
function adminOf({ host, port }: Settings['monitoring'], { production }: Reading) {
  const chosen = port ?? (production ? ADMIN_PORT : 'off')
  return chosen === 'off' ? null : { host, port: chosen }
}

/** Who may read the metrics on the public port: everybody, holders of the token, or nobody. */
function metricsOf({ token }: Settings['monitoring'], { production }: Reading) {
  if (token !== null) return { kind: 'token', token } as const
  return { kind: production ? 'nobody' : 'everybody' } as const
}

/** `sites` is null if the sandbox provides its own; `statePath` is the SQLite file that keeps its state, null for none. */
function upstreamOf({ upstream, database }: Settings, reading: Reading) {
  const { url, environment, sites, sandboxPort: port, statePath } = upstream
  if (reading.builtInSandbox) {
    const file = statePath ?? join(database.kind === 'sqlite' ? dirname(database.path) : './data', 'sandbox.db')
    const state = { statePath: file === '' ? null : file }
    return { kind: 'built-in-sandbox', port, environment: 'sandbox', sites, ...state } as const
  }
  if (reading.text('UPSTREAM_SITES') === null)
    reading.fault('UPSTREAM_SITES', 'is required for the payments API to know the merchant')
  return { kind: 'service', url: url ?? '', environment, sites: sites ?? [] } as const
}

/** With shared secrets, or with the issuer's published keys. */
function clientsOf({ clients: { secrets, url, ...claims } }: Settings, reading: Reading) {
  const rules = {
    ...claims,
    issuer: claimOf('JWT_ISSUER', claims.issuer, reading),
    audience: claimOf('JWT_AUDIENCE', claims.audience, reading),
  }
  if (reading.text('JWT_JWKS_URL') !== null) {
    if (reading.text('JWT_SECRETS') !== null)
      reading.fault('JWT_SECRETS', 'and JWT_JWKS_URL exclude each other: set one of them')
    return { kind: 'jwks', url: url ?? '', ...rules } as const
  }
  return { kind: 'secret', secrets: reading.keysOf('JWT_SECRETS', secrets), ...rules } as const
}

function claimOf(setting: string, claim: string | null, reading: Reading): string | null {
  if (claim !== ANY) return claim
  reading.warn(setting, `${setting} is ${ANY}: tokens that were made for other programs are accepted.`)
  return null
}

/** Whether the federation router must send a secret. */
function routerOf({ router: secrets }: Settings, reading: Reading) {
  if (secrets !== null) return { kind: 'guarded', secrets } as const
  reading.warn('ROUTER_SECRETS', `ROUTER_SECRETS is ${NONE}: anybody may read the schema, entities and traces.`)
  return { kind: 'open' } as const
}

/** Returns the names under which this process is reached besides those of this machine, IPv6 addresses without brackets. */
export function hostNames({ http, monitoring: { admin } }: Pick<Config, 'http' | 'monitoring'>): string[] {
  const { host, publicUrl, allowedHosts } = http
  return [host, bareHost(new URL(publicUrl).hostname), ...(admin === null ? [] : [admin.host]), ...allowedHosts]
}

/**
 * Returns the origin of the sandbox that emulates the payments API; null if a real payments API is configured. Even a sandbox
 * account there belongs to somebody, so the demo shop, which creates links for everyone, and the emulator's pages are not served
 * with it.
 */
export function emulatorOrigin({ upstream, production }: AppConfig): string | null {
  const { origin, hostname } = new URL(upstream.url)
  return upstream.environment === 'sandbox' && !production && isLoopbackHost(hostname) ? origin : null
}

/** Checks settings that are valid by themselves but not together. */
function checkTogether(
  { http, monitoring: { admin }, router, upstream, webhooks, signingKeys, callbackKeys, ...config }: Config,
  reading: Reading,
): void {
  if (config.callbackOrigins.length > 0 && router.kind !== 'guarded')
    reading.fault(
      'CALLBACK_ORIGINS',
      'needs ROUTER_SECRETS: otherwise any client could make this server send requests to the routers',
    )
  if (upstream.kind === 'built-in-sandbox' && http.port === upstream.port && http.port !== 0) {
    reading.fault('SANDBOX_PORT', 'is the same as PORT')
  }
  if (admin !== null && admin.port === http.port && admin.port !== 0) reading.fault('ADMIN_PORT', 'is the same as PORT')
  if (
    config.console.clientId !== null &&
    (config.clients.kind !== 'jwks' || !URL.canParse(config.clients.issuer ?? ''))
  )
    reading.fault('CONSOLE_OIDC_CLIENT_ID', 'needs JWT_JWKS_URL, and the address of the issuer in JWT_ISSUER')
  if (config.redis !== null && config.database.kind === 'sqlite')
    reading.fault('REDIS_URL', 'is of use only with PostgreSQL in DATABASE_URL: SQLite is for one process')
  const prunes = config.retention.eventsDays !== null || config.retention.deliveriesDays !== null
  if (prunes && reading.text('ARCHIVE_URL') === null)
    reading.fault(
      'ARCHIVE_URL',
      'is required with RETENTION_EVENTS_DAYS or RETENTION_DELIVERIES_DAYS: a folder such as file:/var/archive, or none to discard what is pruned',
    )
  const credentials = new Set(upstream.sites?.map((site) => site.secretKey.reveal()))
  const lists = { WEBHOOK_SECRETS: webhooks.secrets, SIGNING_KEYS: signingKeys, CALLBACK_KEYS: callbackKeys ?? [] }
  for (const [setting, secrets] of Object.entries(lists)) {
    const entry = secrets.findIndex((secret) => credentials.has(secret.reveal()))
    if (entry !== -1)
      reading.fault(setting, `entry ${entry + 1} is the secretKey of a site in UPSTREAM_SITES: use another secret`)
  }
}

/**
 * Records whatever would disable TLS verification: the runtime's switch for it is a fault in production, PGSSLMODE, which the
 * database driver would read besides DATABASE_URL, is a fault everywhere, and `sslmode=no-verify` gives a warning.
 */
function checkVerification(database: DatabaseConfig, reading: Reading): void {
  if (reading.production && reading.text('NODE_TLS_REJECT_UNAUTHORIZED') === '0')
    reading.fault(
      'NODE_TLS_REJECT_UNAUTHORIZED',
      'is 0, which turns off the verification of certificates: unset it, and name your own certificate authority in NODE_EXTRA_CA_CERTS',
    )
  if (database.kind === 'postgres') checkDatabase(new URL(database.url.reveal()), reading)
}

function checkDatabase({ searchParams }: URL, reading: Reading): void {
  const mode = searchParams.get('sslmode')
  const ofDriver = reading.text('PGSSLMODE')
  if (mode === null && ofDriver !== null && ofDriver !== 'disable')
    reading.fault('PGSSLMODE', 'is not read: write sslmode into DATABASE_URL')
  if (mode === 'no-verify')
    reading.warn('DATABASE_URL', 'DATABASE_URL says sslmode=no-verify: the database server is not verified.')
}

import { dirname, join } from 'node:path'
import { Secret } from '../keys/key-ring.ts'
import { bareHost } from '../lib/known-hosts.ts'
import type { Proxies } from '../lib/outbound-agent.ts'
import type { LogLevel } from '../observability/logger.ts'
import { secretOf, secretsOf, type SecretRules, type Secrets, parseSites, type SiteConfig } from './credentials.ts'
import { parseFilePath, type DatabaseConfig, type RedisConfig } from './database.ts'
import {
  readHttpLimits,
  parseSocketLimits,
  SOCKET_LIMITS,
  type HttpLimits,
  type OperationLimits,
  type SocketLimits,
} from './limits.ts'
import type { MonitoringConfig } from './monitoring.ts'
import {
  good,
  type Parsed,
  type SettingReader,
  oneOf,
  parseHost,
  parseHosts,
  parseLine,
  parsePort,
  LOOPBACK_ORIGINS,
  parsePageOrigins,
  parseResource,
  parseUpstreamUrl,
  parseProxy,
  parsePublicUrl,
  type ConfigFault,
} from './read-setting.ts'
import type { RetentionConfig } from './retention-settings.ts'

const SIGNING_RULES: SecretRules = { minimum: 32, unit: 'bytes' }
const ROUTER_RULES: SecretRules = { minimum: 16, unit: 'characters', header: true }

/** Words that replace secrets or a claim, to switch a check off deliberately. */
const NONE = 'none'
const ANY = 'any'

const MAKE_A_KEY = 'make one with `openssl rand -hex 32`'
const HOW_TO_GET: Readonly<Record<GeneratedSetting, string>> = {
  WEBHOOK_SECRETS: 'the secret with which the payments API signs the webhooks of this merchant',
  SIGNING_KEYS: MAKE_A_KEY,
  JWT_SECRET: `${MAKE_A_KEY} and share it with the issuer of client tokens, or set JWT_JWKS_URL in its place`,
}

/** Reads where we listen, and the URLs at which the payments API and browsers reach us. */
export function readHttp(reading: SettingReader): HttpConfig {
  const host = reading.read('HOST', parseHost, '127.0.0.1')
  const port = reading.read('PORT', parsePort, 4000)
  reading.requireInProduction('PUBLIC_URL', 'the https:// address at which the payments API reaches this process')
  return {
    host,
    port,
    publicUrl: reading.read('PUBLIC_URL', parsePublicUrl, `http://${reachable(host)}:${port}`),
    // Front ends under development have a port of their own. No page of another machine has such an origin.
    allowedOrigins: reading.read('ALLOWED_ORIGINS', parsePageOrigins, reading.builtInSandbox ? [LOOPBACK_ORIGINS] : []),
    allowedHosts: reading.read('ALLOWED_HOSTS', parseHosts, []),
    compresses: reading.read('RESPONSE_COMPRESSION', oneOf(['public', 'none']), 'public') === 'public',
    socketLimits: reading.read('SOCKET_LIMITS', parseSocketLimits, SOCKET_LIMITS),
    limits: readHttpLimits(reading),
  }
}

/** Reads the settings of the payments API, or of the built-in sandbox, whose state is kept beside the database. */
export function readUpstream(reading: SettingReader, database: DatabaseConfig): UpstreamConfig {
  reading.requireInProduction('UPSTREAM_URL', 'the base address of the payments API, which ends in /api')
  const url = reading.read('UPSTREAM_URL', parseUpstreamUrl, '')
  const environment = reading.read(
    'UPSTREAM_ENVIRONMENT',
    oneOf<'sandbox' | 'production'>(['sandbox', 'production']),
    'sandbox',
  )
  const sites = reading.read('UPSTREAM_SITES', parseSites, null)
  const port = reading.read('SANDBOX_PORT', parsePort, 4010)
  const statePath = reading.read('SANDBOX_DATABASE_URL', parseStatePath, besideOf(database))
  if (reading.builtInSandbox) return { kind: 'built-in-sandbox', port, environment: 'sandbox', sites, statePath }
  if (reading.text('UPSTREAM_SITES') === null)
    reading.fault('UPSTREAM_SITES', 'is required for the payments API to know the merchant')
  return { kind: 'service', url, environment, sites: sites ?? [] }
}

/** Parses where the state of the sandbox is kept: `file:` and a path, or `none`. */
function parseStatePath(text: string): Parsed<string | null> {
  return text === NONE ? good(null) : parseFilePath(text)
}

function besideOf(database: DatabaseConfig): string {
  return database.kind === 'sqlite' ? join(dirname(database.path), 'sandbox.db') : './data/sandbox.db'
}

/** Reads a list of secrets, which is required; with the built-in sandbox one is generated if it is unset. */
export function readSecrets(
  reading: SettingReader,
  setting: 'WEBHOOK_SECRETS' | 'SIGNING_KEYS',
  generated: Generated,
): Secrets {
  reading.requireKey(setting, HOW_TO_GET[setting])
  const rules: SecretRules = setting === 'SIGNING_KEYS' ? SIGNING_RULES : { minimum: 16, unit: 'characters' }
  return reading.read(setting, secretsOf(rules), null) ?? [generated.keyFor(setting, reading)]
}

/** Reads the keys of callbacks, where they are not the signing keys. */
export function readCallbackKeys(reading: SettingReader): Secrets | null {
  return reading.read('CALLBACK_KEYS', secretsOf(SIGNING_RULES), null)
}

/** Reads how client tokens are verified: with a shared secret, or with the issuer's published keys. */
export function readClients(reading: SettingReader, generated: Generated): ClientsConfig {
  const issuer = readClaim(reading, 'JWT_ISSUER', 'the iss of client tokens')
  const audience = readClaim(reading, 'JWT_AUDIENCE', 'the aud of client tokens')
  const url = reading.read('JWT_JWKS_URL', parseResource, '')
  const secret = reading.read('JWT_SECRET', secretOf(SIGNING_RULES), null)
  if (reading.text('JWT_JWKS_URL') !== null) {
    if (reading.text('JWT_SECRET') !== null)
      reading.fault('JWT_SECRET', 'and JWT_JWKS_URL exclude each other: set one of them')
    return { kind: 'jwks', url, issuer, audience }
  }
  reading.requireKey('JWT_SECRET', HOW_TO_GET.JWT_SECRET)
  return { kind: 'secret', secret: secret ?? generated.keyFor('JWT_SECRET', reading), issuer, audience }
}

/**
 * Reads the required value of a claim of client tokens; null if it is not checked, which must be set explicitly in production.
 */
function readClaim(reading: SettingReader, setting: 'JWT_ISSUER' | 'JWT_AUDIENCE', claim: string): string | null {
  reading.requireInProduction(setting, `${claim}, or ${ANY} to accept every one`)
  if (reading.text(setting) !== ANY) return reading.read(setting, parseLine, null)
  reading.warn(setting, `${setting} is ${ANY}: tokens that were made for other programs are accepted.`)
  return null
}

/** Reads whether the federation router must authenticate; in production, going without must be set explicitly. */
export function readRouter(reading: SettingReader): RouterConfig {
  reading.requireInProduction(
    'ROUTER_SECRETS',
    `${MAKE_A_KEY}, for the router's header x-router-secret, or set ${NONE}`,
  )
  if (reading.text('ROUTER_SECRETS') === NONE) {
    reading.warn('ROUTER_SECRETS', `ROUTER_SECRETS is ${NONE}: anybody may read the schema, entities and traces.`)
    return { kind: 'open' }
  }
  const secrets = reading.read('ROUTER_SECRETS', secretsOf(ROUTER_RULES), null)
  return secrets === null ? { kind: 'open' } : { kind: 'guarded', secrets }
}

/** Generated keys for unset settings with the built-in sandbox, and the names of those settings. */
export class Generated {
  readonly settings: GeneratedSetting[] = []
  readonly #generate: GenerateKey

  constructor(generate: GenerateKey) {
    this.#generate = generate
  }

  /** Returns a key for the setting. If the setting is faulty there will be no configuration, and no key is generated. */
  keyFor(setting: GeneratedSetting, reading: SettingReader): Secret {
    if (!reading.builtInSandbox || reading.text(setting) !== null) return new Secret('')
    this.settings.push(setting)
    return new Secret(this.#generate(setting))
  }
}

/** Hosts of this machine, which no proxy reaches. */
const OWN_HOSTS = ['localhost', '127.0.0.1', '::1']

/** Reads the proxies for calls to other networks. As for other programs, each name may be in lower case too, which then counts. */
export function readProxies(reading: SettingReader): Proxies {
  const proxy = (setting: string) =>
    reading.read(setting.toLowerCase(), parseProxy, null) ?? reading.read(setting, parseProxy, '')
  const none = reading.text('no_proxy') ?? reading.text('NO_PROXY')
  return {
    http: proxy('HTTP_PROXY'),
    https: proxy('HTTPS_PROXY'),
    none: [none ?? [], OWN_HOSTS].flat().join(','),
  }
}

/** Returns an address at which this machine reaches a server that listens on `host`. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

/** Returns the names under which this process is reached besides those of this machine, IPv6 addresses without brackets. */
export function hostNames({ http, monitoring: { admin } }: Pick<Config, 'http' | 'monitoring'>): string[] {
  const { host, publicUrl, allowedHosts } = http
  return [host, bareHost(new URL(publicUrl).hostname), ...(admin === null ? [] : [admin.host]), ...allowedHosts]
}

/** `publicUrl` has no trailing slash. If `port` is 0 and no public URL is set, it ends in `:0` until the port is known. */
export type HttpConfig = {
  readonly host: string
  readonly port: number
  readonly publicUrl: string
  readonly allowedOrigins: readonly string[]
  /** Names under which this process is reached, besides those of this machine, of `host` and of `publicUrl`. */
  readonly allowedHosts: readonly string[]
  /** Whether answers that are the same for every caller are compressed. */
  readonly compresses: boolean
  readonly socketLimits: SocketLimits
  readonly limits: HttpLimits
}

/** The payments API, or the built-in sandbox; `sites` is null if the sandbox provides its own. */
export type UpstreamConfig =
  | {
      readonly kind: 'service'
      readonly url: string
      readonly environment: 'sandbox' | 'production'
      readonly sites: readonly SiteConfig[]
    }
  | {
      readonly kind: 'built-in-sandbox'
      readonly port: number
      /** The SQLite file that keeps the state of the sandbox; null for none. */
      readonly statePath: string | null
      readonly environment: 'sandbox'
      readonly sites: readonly SiteConfig[] | null
    }

/** How client tokens are verified; an issuer or audience of null is not checked. */
export type ClientsConfig =
  | {
      readonly kind: 'secret'
      readonly secret: Secret
      readonly issuer: string | null
      readonly audience: string | null
    }
  | { readonly kind: 'jwks'; readonly url: string; readonly issuer: string | null; readonly audience: string | null }

/** Whether the federation router must send a secret. */
type RouterConfig = { readonly kind: 'open' } | { readonly kind: 'guarded'; readonly secrets: Secrets }

/** All settings of the operator, frozen. */
export type Config = {
  readonly production: boolean
  readonly http: HttpConfig
  readonly monitoring: MonitoringConfig
  readonly upstream: UpstreamConfig
  readonly webhooks: { readonly secrets: Secrets }
  readonly signingKeys: Secrets
  /** Null: callbacks are signed with the signing keys, too. */
  readonly callbackKeys: Secrets | null
  readonly clients: ClientsConfig
  readonly router: RouterConfig
  /** Origins of routers that may subscribe by HTTP callback; an empty list turns callbacks off. */
  readonly callbackOrigins: readonly string[]
  readonly database: DatabaseConfig
  readonly retention: RetentionConfig
  /** What the nodes on one database share besides it; null if they share nothing else. */
  readonly redis: RedisConfig | null
  /** Whether links tell the payments API the merchant's reference. */
  readonly sendLinkReference: boolean
  /** Whether payments of one order are compared. */
  readonly findsDuplicates: boolean
  /** Days after its last change during which a payment can be refunded or disputed, and is therefore polled. */
  readonly refundWindowDays: number
  /** Whether each day is compared with the payments API's lists on the next one. */
  readonly reconcilesDaily: boolean
  /** Base URL of the trace collector; null for no tracing. */
  readonly proxies: Proxies
  readonly tracesEndpoint: string | null
  /** Path of the manifest of trusted documents; null if any document may run. */
  readonly trustedDocuments: string | null
  readonly limits: OperationLimits
  /** Whether operations are executed by optimised paths that return the same results. */
  readonly executionShortcuts: boolean
  /** Whether `_service { sdl }` contains `@requiresScopes`. */
  readonly sdlScopes: boolean
  /** Maximum duration of the warm-up at start, in milliseconds; 0 for none. */
  readonly warmUpMs: number
  readonly logLevel: LogLevel
  /** Settings that were unset and for which a key was generated, with the built-in sandbox. */
  readonly generated: readonly GeneratedSetting[]
  /** Protections that production was told to switch off, as sentences that are logged at each start. */
  readonly warnings: readonly ConfigFault[]
}

/** A setting for which a key can be generated with the built-in sandbox. */
type GeneratedSetting = 'WEBHOOK_SECRETS' | 'SIGNING_KEYS' | 'JWT_SECRET'

/** Returns a development key of at least 32 bytes for an unset setting. */
export type GenerateKey = (setting: GeneratedSetting) => string

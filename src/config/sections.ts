import { Secret } from '../keys/secret.ts'
import { readHttpLimits } from './http-limits.ts'
import type { Reading } from './reading.ts'
import { secretOf, secretsOf } from './secrets.ts'
import type { SecretRules, Secrets } from './secrets.ts'
import type { ClientsConfig, GenerateKey, GeneratedSetting, HttpConfig, RouterConfig, UpstreamConfig } from './shape.ts'
import { parseSites } from './sites.ts'
import { parseSocketLimits, SOCKET_LIMITS } from './socket-limits.ts'
import { parseOrigins, parseResource, parseUpstreamUrl, parseUrl } from './urls.ts'
import { oneOf, parseHost, parseLine, parsePort } from './values.ts'

const SIGNING_RULES: SecretRules = { minimum: 32, unit: 'bytes' }
const ROUTER_RULES: SecretRules = { minimum: 16, unit: 'characters', header: true }

/** Where we listen, and where the service and browsers reach us. */
export function readHttp(reading: Reading): HttpConfig {
  const host = reading.read('HOST', parseHost, '127.0.0.1')
  const port = reading.read('PORT', parsePort, 4000)
  reading.requireInProduction('PUBLIC_URL')
  return {
    host,
    port,
    publicUrl: reading.read('PUBLIC_URL', parseUrl, `http://${reachable(host)}:${port}`),
    allowedOrigins: reading.read('ALLOWED_ORIGINS', parseOrigins, []),
    socketLimits: reading.read('SOCKET_LIMITS', parseSocketLimits, SOCKET_LIMITS),
    limits: readHttpLimits(reading),
  }
}

/** The service, or the sandbox that stands in for it. */
export function readUpstream(reading: Reading): UpstreamConfig {
  reading.requireInProduction('UPSTREAM_URL')
  const url = reading.read('UPSTREAM_URL', parseUpstreamUrl, '')
  const environment = reading.read(
    'UPSTREAM_ENVIRONMENT',
    oneOf<'sandbox' | 'production'>(['sandbox', 'production']),
    'sandbox',
  )
  const sites = reading.read('UPSTREAM_SITES', parseSites, null)
  const port = reading.read('SANDBOX_PORT', parsePort, 4010)
  if (reading.text('UPSTREAM_URL') === null && !reading.production) {
    if (environment === 'production')
      reading.fault('UPSTREAM_ENVIRONMENT', 'is production, but UPSTREAM_URL is not set')
    return { kind: 'built-in-sandbox', port, environment: 'sandbox', sites }
  }
  if (reading.text('UPSTREAM_SITES') === null)
    reading.fault('UPSTREAM_SITES', 'is required for the service to know the merchant')
  return { kind: 'service', url, environment, sites: sites ?? [] }
}

/** A list of secrets that must be given in production, and of which one is made in development. */
export function readSecrets(
  reading: Reading,
  setting: 'WEBHOOK_SECRETS' | 'SIGNING_KEYS',
  generated: Generated,
): Secrets {
  reading.requireInProduction(setting)
  const rules: SecretRules = setting === 'SIGNING_KEYS' ? SIGNING_RULES : { minimum: 16, unit: 'characters' }
  return reading.read(setting, secretsOf(rules), null) ?? [generated.keyFor(setting, reading)]
}

/** Who makes the tokens of clients: we share a secret with them, or they publish their keys. */
export function readClients(reading: Reading, generated: Generated): ClientsConfig {
  const issuer = reading.read('JWT_ISSUER', parseLine, null)
  const audience = reading.read('JWT_AUDIENCE', parseLine, null)
  const url = reading.read('JWT_JWKS_URL', parseResource, '')
  const secret = reading.read('JWT_SECRET', secretOf(SIGNING_RULES), null)
  if (reading.text('JWT_JWKS_URL') !== null) {
    if (reading.text('JWT_SECRET') !== null)
      reading.fault('JWT_SECRET', 'and JWT_JWKS_URL exclude each other: set one of them')
    return { kind: 'jwks', url, issuer, audience }
  }
  reading.requireInProduction('JWT_SECRET', ', or JWT_JWKS_URL in its place')
  return { kind: 'secret', secret: secret ?? generated.keyFor('JWT_SECRET', reading), issuer, audience }
}

/** Whether the federation router has to prove itself. */
export function readRouter(reading: Reading): RouterConfig {
  const secrets = reading.read('ROUTER_SECRETS', secretsOf(ROUTER_RULES), null)
  return secrets === null ? { kind: 'open' } : { kind: 'guarded', secrets }
}

/** Development keys, made only where a setting is unset, and the names of those settings. */
export class Generated {
  readonly settings: GeneratedSetting[] = []
  readonly #generate: GenerateKey

  constructor(generate: GenerateKey) {
    this.#generate = generate
  }

  /** A key for the setting. Where the setting is at fault no configuration comes of it, and none is made. */
  keyFor(setting: GeneratedSetting, reading: Reading): Secret {
    if (reading.production || reading.text(setting) !== null) return new Secret('')
    this.settings.push(setting)
    return new Secret(this.#generate(setting))
  }
}

/** An address under which this machine reaches a server that listens on `host`. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

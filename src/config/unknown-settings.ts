import type { ConfigFault, Environment } from './read-setting.ts'

/** The names of all settings. */
export const SETTINGS = [
  'NODE_ENV',
  'HOST',
  'PORT',
  'PUBLIC_URL',
  'ALLOWED_ORIGINS',
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
export function unknownSettings(env: Environment): ConfigFault[] {
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

import { LOG_LEVELS } from '../observability/logger.ts'
import { SAMPLERS } from '../observability/tracing/samplers.ts'
import { parseSites, secretOf, type SecretRules, secretsOf } from './credentials.ts'
import { parseDatabase, parseFilePath, parseRedis } from './database.ts'
import { parseGraphqlLimits, parseSocketLimits } from './limits.ts'
import * as text from './parsers.ts'
import { choice, oneOf, type Parser, someOf, wholeNumber, wordOr } from './parsers.ts'

/** A setting, which is an environment variable. The comment above it is what docs/settings.md says of it, in Markdown. */
export type Setting = {
  readonly name: string
  /** Parses a text that is not empty. */
  readonly parse: Parser<unknown>
  /** Is read if the setting is unset, as if it were set to this text. Without it, the value is null. */
  readonly default?: string
  /** For settings that production requires: what to set. */
  readonly required?: string
  /** Whether the name in lower case counts too, and first, as it does for other programs. */
  readonly eitherCase?: true
  /** Another name, for those who set one of a list. */
  readonly alias?: string
  /** Whether it contains a secret, so that `NAME_FILE` may name a file with its text instead. */
  readonly secret?: true
}

export type SettingTable = { readonly [key: string]: Setting | SettingTable }

/** The values of a table of settings. */
export type ValuesOf<Table> = Table extends Setting
  ? (Table['parse'] extends Parser<infer Value> ? Value : never) | (Table extends { default: string } ? never : null)
  : { readonly [Key in keyof Table]: ValuesOf<Table[Key]> }

/** Words that replace secrets, a claim or a file, to switch something off deliberately. */
export const NONE = 'none'
export const ANY = 'any'

export const MAKE_A_KEY = 'make one with `openssl rand -hex 32`'

const SIGNING_RULES: SecretRules = { minimum: 32, unit: 'bytes' }
const WEBHOOK_RULES: SecretRules = { minimum: 16, unit: 'characters' }
const HEADER_RULES: SecretRules = { ...WEBHOOK_RULES, header: true }

/** Commands look for events and deliveries of the last thirty days. */
const retentionDays = wholeNumber(31, 36_500)

const limit = (most = 1_000_000) => wholeNumber(1, most)

/** Optimised paths of an operation, which return the same results as the plain ones. */
const SHORTCUTS = ['compiledExecutor', 'publicAnswers', 'sharedExecutions', 'recentRows', 'ownSockets'] as const

/** All settings by their place in the configuration, in the order of docs/settings.md, whose table `npm run docs:schema` writes. */
export const SETTINGS = {
  /** `development`, `test` or `production` */
  production: { name: 'NODE_ENV', parse: oneOf(['development', 'test', 'production']) },
  http: {
    /** Host or address to listen on */
    host: { name: 'HOST', parse: text.parseHost, default: '127.0.0.1' },
    /** Port to listen on; 0 for a free one */
    port: { name: 'PORT', parse: text.parsePort, default: '4000' },
    /** Where the payments API reaches us: https unless loopback, and without a path. Unset: `http://HOST:PORT` */
    publicUrl: {
      name: 'PUBLIC_URL',
      parse: text.parsePublicUrl,
      required: 'the https:// address at which the payments API reaches this process',
    },
    /**
     * Origins of pages that may call from a browser, comma-separated; `loopback` for those of this machine on any port. Refusals are
     * [logged](operating.md#symptom-and-command). Unset: our own; with the built-in sandbox, `loopback`
     */
    allowedOrigins: { name: 'ALLOWED_ORIGINS', parse: text.parsePageOrigins },
    /**
     * Further host names and addresses of a development server, and of the admin port, comma-separated and without ports. Refusals are
     * [logged](operating.md#symptom-and-command)
     */
    allowedHosts: { name: 'ALLOWED_HOSTS', parse: text.parseHosts },
    /** `public` compresses responses that are [the same for every caller](graphql.md#compression); `none` none */
    compresses: { name: 'RESPONSE_COMPRESSION', parse: choice({ public: true, none: false }), default: 'public' },
    /** [Limits of a WebSocket](operations/overload.md#websocket-limits), such as `streams=50,perAddress=0` */
    socketLimits: { name: 'SOCKET_LIMITS', parse: parseSocketLimits },
    limits: {
      /**
       * Addresses and networks of your own proxies, comma-separated (`10.0.0.0/8`, or `loopback`, `linklocal`, `uniquelocal`). Only their
       * `X-Forwarded-For` is used
       */
      trustProxy: { name: 'TRUST_PROXY', parse: text.parseNetworks },
      /**
       * Open connections of one address, sockets included; 0 for no limit. This machine, proxies in `TRUST_PROXY`, and routers with a secret
       * do not count
       */
      connectionsPerAddress: {
        name: 'MAX_CONNECTIONS_PER_ADDRESS',
        parse: wholeNumber(0, 1_000_000),
        // More than the subscribers behind one address of a mobile carrier have open with one server at a time.
        default: '2000',
      },
      /** Wrong credentials of an address in a minute; then its invalid requests are [refused unread](operations/overload.md) with 429 */
      failedAuthentications: { name: 'MAX_FAILED_AUTHENTICATIONS', parse: limit(), default: '60' },
      /** Queries under way at once, and a quarter as many mutations, half of each for one client; [more wait](operations/overload.md#when-requests-are-refused) */
      graphqlInFlight: { name: 'GRAPHQL_MAX_IN_FLIGHT', parse: limit(100_000), default: '512' },
    },
  },
  monitoring: {
    /** Host of the admin port */
    host: { name: 'ADMIN_HOST', parse: text.parseHost, default: '127.0.0.1' },
    /** Port for `/metrics` and the probes apart from clients, or `off`. Unset: 9464 in production, else `off` */
    port: { name: 'ADMIN_PORT', parse: text.parseAdminPort },
    /** Bearer token of 16 characters or more for `/metrics` on the port of clients. Unset: there in development only, for everybody */
    token: { name: 'METRICS_TOKEN', parse: secretOf(HEADER_RULES), secret: true },
  },
  upstream: {
    /** Base address of the payments API, ends in `/api`; https unless loopback. Unset: the built-in sandbox */
    url: {
      name: 'UPSTREAM_URL',
      parse: text.parseUpstreamUrl,
      required: 'the base address of the payments API, which ends in /api',
    },
    /** `sandbox` or `production`, where real money moves and [`listen`](operations/deliveries.md) is refused, since bodies contain payers' data */
    environment: {
      name: 'UPSTREAM_ENVIRONMENT',
      parse: oneOf(['sandbox', 'production']),
      default: 'sandbox',
      required: 'sandbox, or production where real money moves',
    },
    /**
     * JSON `[{"id","appId","secretKey","currencies":[…]}]`: the credentials and currencies of each site. `"v1Payouts": true` offers [v1
     * payouts](guides/payout-files.md#in-aud-by-v1) of a site with AUD (always with the built-in sandbox); an object instead overrides
     * assumed field names, any of `{"transactions","notification","externalId"}` ([gap sheet](gaps.md), 20). `"paths"` overrides assumed
     * paths, any of `{"cancelPayin","lookupBankByImage"}` (12, 21)
     */
    sites: { name: 'UPSTREAM_SITES', parse: parseSites, secret: true },
    /** Port of the built-in sandbox */
    sandboxPort: { name: 'SANDBOX_PORT', parse: text.parsePort, default: '4010' },
    /** SQLite file with the state of the built-in sandbox; `none` for memory. Unset: `sandbox.db` beside the database */
    statePath: { name: 'SANDBOX_DATABASE_URL', parse: wordOr(NONE, '', parseFilePath) },
  },
  /** The field in which a link's `reference` is sent; `off` if the payments API refuses it ([gap sheet](gaps.md), 5.2) */
  sendLinkReference: {
    name: 'UPSTREAM_LINK_REFERENCE',
    parse: choice({ meta_data: true, off: false }),
    default: 'meta_data',
  },
  /**
   * Whether a second paid payment of one reference (at one site, of one owner) is a [duplicate](guides/duplicate-payments.md); `off` if many
   * customers pay under one reference
   */
  findsDuplicates: { name: 'DUPLICATE_PAYMENTS', parse: choice({ find: true, off: false }), default: 'find' },
  /**
   * `keep` stores the reusable tokens of cards, encrypted, for [callers](security.md#personal-data-in-the-database) with `payments:card-token`, until the payer
   * is erased; `drop` reads none
   */
  keepsCardTokens: { name: 'CARD_TOKENS', parse: choice({ keep: true, drop: false }), default: 'drop' },
  /**
   * Whether each day is [compared](guides/reconciliation.md) with the payments API's lists. `off`: what webhooks do not report of a paid
   * payment is not found
   */
  reconcilesDaily: { name: 'DAILY_RECONCILIATION', parse: choice({ on: true, off: false }), default: 'on' },
  /** Days (1 to 1000) after its last change for which a payment can be refunded or disputed, so that callbacks of it may come */
  refundWindowDays: { name: 'REFUND_WINDOW_DAYS', parse: limit(1_000), default: '180' },
  webhooks: {
    /** Comma-separated, 16 characters or more each: all are accepted, so that one can be rotated */
    secrets: { name: 'WEBHOOK_SECRETS', parse: secretsOf(WEBHOOK_RULES), secret: true },
  },
  /** Comma-separated, 32 bytes or more each: the first signs callback secrets and status tokens, all verify */
  signingKeys: { name: 'SIGNING_KEYS', parse: secretsOf(SIGNING_RULES), secret: true },
  /**
   * Separate keys for the secrets of webhook addresses, so that the others can be [replaced](operations/keys.md#replacing-signing-keys)
   * without them. Begins as a copy of `SIGNING_KEYS`. Unset: `SIGNING_KEYS`
   */
  callbackKeys: { name: 'CALLBACK_KEYS', parse: secretsOf(SIGNING_RULES), secret: true },
  /** Ids of signing keys that were [removed at once](operations/keys.md#replacing-signing-keys), comma-separated */
  removedKeys: { name: 'REMOVED_SIGNING_KEYS', parse: text.parseNames },
  clients: {
    /** Secrets of client tokens (HS256), comma-separated, 32 bytes or more each: all verify. `JWT_SECRET` is the same. Or set `JWT_JWKS_URL` */
    secrets: { name: 'JWT_SECRETS', alias: 'JWT_SECRET', parse: secretsOf(SIGNING_RULES), secret: true },
    /** Address of the issuer's key set ([withdrawn keys](operations/keys.md#a-key-of-the-issuer-is-withdrawn)) */
    url: { name: 'JWT_JWKS_URL', parse: text.parseResource },
    /** Required `iss` of client tokens; `any` disables the check. Unset: not checked */
    issuer: {
      name: 'JWT_ISSUER',
      parse: text.parseLine,
      required: `the iss of client tokens, or ${ANY} to accept every one`,
    },
    /** Required `aud`, likewise */
    audience: {
      name: 'JWT_AUDIENCE',
      parse: text.parseLine,
      required: `the aud of client tokens, or ${ANY} to accept every one`,
    },
    /**
     * Claims whose values are scopes, comma-separated, nested ones with dots: `permissions`, `realm_access.roles`
     * ([issuers](guides/token-issuers.md)). Unset: `scope`, or else `scp`
     */
    scopeClaims: { name: 'JWT_SCOPE_CLAIMS', parse: text.parseNames },
    /** Text before each scope, such as `payments/`; values without it are ignored */
    scopePrefix: { name: 'JWT_SCOPE_PREFIX', parse: text.parseLine },
  },
  console: {
    /**
     * Client id of the console at the issuer, a public client with PKCE and the redirect URI `PUBLIC_URL/session/callback`: operators sign in
     * there, and `JWT_ISSUER` is its address. Unset: with a token
     */
    clientId: { name: 'CONSOLE_OIDC_CLIENT_ID', parse: text.parseLine },
    /** Scopes that the console asks the issuer for; `offline_access` where sessions should outlast a token */
    scope: { name: 'CONSOLE_OIDC_SCOPE', parse: text.parseLine, default: 'openid' },
  },
  /**
   * Secrets of routers, comma-separated, 16 characters or more each, sent as the header `x-router-secret`. `_service`, `_entities` and
   * introspection require one; with it any document runs, and a socket carries many clients. `none` disables the check
   */
  router: {
    name: 'ROUTER_SECRETS',
    secret: true,
    parse: wordOr(NONE, null, secretsOf(HEADER_RULES)),
    required: `${MAKE_A_KEY}, for the router's header x-router-secret, or set ${NONE}`,
  },
  /** `none` leaves `@requiresScopes` out of `_service { sdl }`, for [gateways that refuse it](federation.md#apollogateway) */
  sdlScopes: { name: 'SDL_SCOPES', parse: choice({ all: true, none: false }), default: 'all' },
  /** Origins of routers that may subscribe by HTTP callback, comma-separated. Requires `ROUTER_SECRETS` */
  callbackOrigins: { name: 'CALLBACK_ORIGINS', parse: text.parseServerOrigins },
  /**
   * SQLite file, for one process; or `postgres://user:password@host:5432/database` (PostgreSQL 13 or later, UTF-8), for any number of nodes.
   * `?sslmode=verify-full` requires TLS; `PGSSLMODE` is ignored. `?pooler=` names [a
   * pooler](operations/postgresql.md#behind-a-connection-pooler) that is not detected
   */
  database: {
    name: 'DATABASE_URL',
    parse: parseDatabase,
    default: 'file:./data/payments.db',
    required: 'postgres://user:password@host:5432/database, or file: and a path on a durable disk for one process',
    secret: true,
  },
  /**
   * `redis://user:password@host:6379/0` (Redis 6.2 or later, or Valkey), or `rediss://` for TLS; `?cluster=true` for a cluster (Redis 7 or
   * later). Optional, for [several nodes](operations/postgresql.md#several-nodes): wakes them, and
   * [shares](operations/postgresql.md#what-nodes-share-in-redis) limits
   */
  redis: { name: 'REDIS_URL', parse: parseRedis, secret: true },
  retention: {
    /**
     * Days for which events are kept (31 to 36500); whole older months are [archived and
     * pruned](operations/retention.md#retention-and-archives). Unset: for ever
     */
    eventsDays: { name: 'RETENTION_EVENTS_DAYS', parse: retentionDays },
    /** The same for received webhooks, from their first receipt */
    deliveriesDays: { name: 'RETENTION_DELIVERIES_DAYS', parse: retentionDays },
    /** Days for which a repeat of a pruned webhook is recognised, from its first receipt (31 to 36500) */
    deliveryKeysDays: { name: 'RETENTION_DELIVERY_KEYS_DAYS', parse: retentionDays, default: '400' },
    /**
     * Where rows are archived before they are pruned: `file:` and a folder, such as `file:/var/archive`, or `none` to discard them. Required
     * with `RETENTION_EVENTS_DAYS` or `RETENTION_DELIVERIES_DAYS`
     */
    archive: { name: 'ARCHIVE_URL', parse: text.parseArchive },
  },
  /** [Limits of operations](graphql.md#limits), such as `depth=12,cost=4000` */
  limits: { name: 'GRAPHQL_LIMITS', parse: parseGraphqlLimits },
  /** Path of a manifest of Apollo or Relay: only its documents run, except for the router. Unset: any document */
  trustedDocuments: { name: 'TRUSTED_DOCUMENTS', parse: text.parseLine },
  /** Optimisations that change no response ([list](graphql.md#shortcuts)): `all`, `none`, or some, comma-separated */
  shortcuts: { name: 'SHORTCUTS', parse: someOf(SHORTCUTS), default: 'all' },
  /** Milliseconds for which a start may warm up before it is ready; 0 for not at all */
  warmUpMs: { name: 'WARM_UP_MS', parse: wholeNumber(0, 60_000), default: '1000' },
  /**
   * Milliseconds from SIGTERM, when `/health/ready` turns to 503, until sockets and the listener [close](operating.md#the-end-of-a-process).
   * Longer than load balancers take to notice. Unset: 8000 in production, else 0
   */
  shutdownDelayMs: { name: 'SHUTDOWN_DELAY_MS', parse: wholeNumber(0, 300_000) },
  proxies: {
    /**
     * HTTP proxy for https requests to the payments API, `JWT_JWKS_URL` and the collector of traces. Lower-case names take precedence. This
     * machine, databases, Redis and callbacks to routers are reached directly
     */
    https: { name: 'HTTPS_PROXY', parse: text.parseProxy, secret: true, eitherCase: true },
    /** The same for http */
    http: { name: 'HTTP_PROXY', parse: text.parseProxy, secret: true, eitherCase: true },
    /** Hosts that are reached without these proxies, comma-separated */
    none: { name: 'NO_PROXY', parse: text.good<string>, eitherCase: true },
  },
  traces: {
    /** Base address of an OpenTelemetry collector (OTLP over HTTP, in JSON) */
    endpoint: { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', parse: text.parseCollector },
    /** Headers of the requests to it, as `name=value,name=value` with percent-encoding */
    headers: { name: 'OTEL_EXPORTER_OTLP_HEADERS', parse: text.secretPairs },
    /** `service.name` of its spans */
    serviceName: { name: 'OTEL_SERVICE_NAME', parse: text.good<string>, default: 'payments-subgraph' },
    /** Further attributes of the resource, in the form of the headers */
    attributes: { name: 'OTEL_RESOURCE_ATTRIBUTES', parse: text.parsePairs },
    /** Which traces are recorded: `always_on`, `always_off`, `traceidratio`, or `parentbased_` and one of these */
    sampler: { name: 'OTEL_TRACES_SAMPLER', parse: oneOf(SAMPLERS), default: 'parentbased_always_on' },
    /** Share from 0 to 1 of the samplers by ratio */
    samplerRatio: { name: 'OTEL_TRACES_SAMPLER_ARG', parse: text.parseShare, default: '1' },
  },
  /** pino's levels */
  logLevel: { name: 'LOG_LEVEL', parse: oneOf(LOG_LEVELS), default: 'info' },
} as const satisfies SettingTable

/** The values of all settings, each by itself. */
export type Settings = ValuesOf<typeof SETTINGS>

/** Returns the settings of a table, in its order. */
export function settingsIn(table: SettingTable): Setting[] {
  return Object.values(table).flatMap((entry) => (isSetting(entry) ? entry : settingsIn(entry)))
}

/** Whether an entry of a table is a setting, not a section. */
export function isSetting(entry: Setting | SettingTable): entry is Setting {
  return typeof entry['parse'] === 'function'
}

import type { Secret } from '../keys/key-ring.ts'
import type { LogLevel } from '../observability/logger.ts'
import type { DatabaseConfig } from './database.ts'
import type { HttpLimits } from './http-limits.ts'
import type { OperationLimits } from './limits.ts'
import type { MonitoringConfig } from './monitoring.ts'
import type { ConfigFault } from './read-setting.ts'
import type { RedisConfig } from './redis.ts'
import type { RetentionConfig } from './retention-settings.ts'
import type { Secrets } from './secrets.ts'
import type { SiteConfig } from './site-settings.ts'
import type { SocketLimits } from './socket-limits.ts'

/** `publicUrl` has no trailing slash. If `port` is 0 and no public URL is set, it ends in `:0` until the port is known. */
export type HttpConfig = {
  readonly host: string
  readonly port: number
  readonly publicUrl: string
  readonly allowedOrigins: readonly string[]
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
export type RouterConfig = { readonly kind: 'open' } | { readonly kind: 'guarded'; readonly secrets: Secrets }

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
export type GeneratedSetting = 'WEBHOOK_SECRETS' | 'SIGNING_KEYS' | 'JWT_SECRET'

/** Returns a development key of at least 32 bytes for an unset setting. */
export type GenerateKey = (setting: GeneratedSetting) => string

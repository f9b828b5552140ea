import type { Secret } from '../keys/secret.ts'
import type { LogLevel } from '../observability/logger.ts'
import type { ConfigFault } from './config-faults.ts'
import type { DatabaseConfig } from './database.ts'
import type { HttpLimits } from './http-limits.ts'
import type { OperationLimits } from './limits.ts'
import type { MonitoringConfig } from './monitoring.ts'
import type { Secrets } from './secrets.ts'
import type { SiteConfig } from './site-settings.ts'
import type { SocketLimits } from './socket-limits.ts'

/** `publicUrl` has no slash at its end. Where `port` is 0 and no public address is set, it ends in `:0` until the port is known. */
export type HttpConfig = {
  readonly host: string
  readonly port: number
  readonly publicUrl: string
  readonly allowedOrigins: readonly string[]
  readonly socketLimits: SocketLimits
  readonly limits: HttpLimits
}

/** The payments API, or our sandbox in its place; `sites` is null where the sandbox brings its own. */
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
      readonly environment: 'sandbox'
      readonly sites: readonly SiteConfig[] | null
    }

/** How client tokens are checked; an issuer or audience that is null is not checked. */
export type ClientsConfig =
  | {
      readonly kind: 'secret'
      readonly secret: Secret
      readonly issuer: string | null
      readonly audience: string | null
    }
  | { readonly kind: 'jwks'; readonly url: string; readonly issuer: string | null; readonly audience: string | null }

/** Whether the federation router has to show a secret. */
export type RouterConfig = { readonly kind: 'open' } | { readonly kind: 'guarded'; readonly secrets: Secrets }

/** Everything that the operator decides, frozen. */
export type Config = {
  readonly production: boolean
  readonly http: HttpConfig
  readonly monitoring: MonitoringConfig
  readonly upstream: UpstreamConfig
  readonly webhooks: { readonly secrets: Secrets }
  readonly signingKeys: Secrets
  readonly clients: ClientsConfig
  readonly router: RouterConfig
  /** Where routers may ask to be told of subscriptions; none turns that off. */
  readonly callbackOrigins: readonly string[]
  readonly database: DatabaseConfig
  /** How many days after its last change a payment can be refunded or disputed: it is polled for so long. */
  readonly refundWindowDays: number
  /** Base address of the collector of traces; null when there is none, and nothing is traced. */
  readonly tracesEndpoint: string | null
  /** Path of the manifest of documents that may run; null when any may. */
  readonly trustedDocuments: string | null
  readonly limits: OperationLimits
  /** Whether operations are executed in shorter ways that give the same answers. */
  readonly executionShortcuts: boolean
  /** Milliseconds that a start may spend on answering operations to itself; 0 for none. */
  readonly warmUpMs: number
  readonly logLevel: LogLevel
  /** Settings that were unset and for which a key was generated, on the built-in sandbox. */
  readonly generated: readonly GeneratedSetting[]
  /** What production was told to leave open, as sentences for the log of each start. */
  readonly warnings: readonly ConfigFault[]
}

/** A setting for which a key can be generated on the built-in sandbox. */
export type GeneratedSetting = 'WEBHOOK_SECRETS' | 'SIGNING_KEYS' | 'JWT_SECRET'

/** Gives a development key of at least 32 bytes for a setting that is unset. */
export type GenerateKey = (setting: GeneratedSetting) => string

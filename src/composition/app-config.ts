import type { Config, UpstreamConfig } from '../config.ts'
import type { CallbackLimits } from '../http/callback/callback-subscriptions.ts'
import type { ExportLimits } from '../http/exports/export-route.ts'
import type { UploadLimits } from '../http/uploads/read-pictures.ts'
import type { Timer } from '../lib/timers.ts'
import type { Logger } from '../observability/logger.ts'
import type { TailOptions } from '../streams/tail.ts'
import type { BreakerSettings } from '../upstream/resilience/breaker.ts'

/** A configuration with a payments API: if the built-in sandbox was configured, it has been started. */
export type AppConfig = Omit<Config, 'upstream'> & { readonly upstream: Extract<UpstreamConfig, { kind: 'service' }> }

export type AppOptions = {
  readonly logger: Logger
  readonly clock?: () => Date
  /** Timer that paces the reads of the payments API. Default: the system's. */
  readonly timer?: Timer
  /** Called when the app cannot continue: acknowledged data is safe, and the process must be restarted. */
  readonly onFatal?: () => void
  /** Overrides of the default circuit breaker settings for the payments API. */
  readonly breaker?: Partial<BreakerSettings>
  /** Overrides of the default limits of sockets, event streams and callbacks. */
  readonly limits?: Partial<TransportLimits>
  /** Overrides how often the log is polled for events of other nodes. */
  readonly tail?: Pick<TailOptions, 'pollMs'>
}

export type TransportLimits = Config['http']['socketLimits'] &
  CallbackLimits & {
    /** Milliseconds within which a peer must read some part of an HTTP response. */
    readonly unreadMs: number
    /** Times for the pictures of an identity document. */
    readonly uploads: Partial<UploadLimits>
    /** Limits for downloads of files of payments. */
    readonly exports: Partial<ExportLimits>
  }

import type { Config, UpstreamConfig } from '../config.ts'
import type { CallbackLimits } from '../http/callback/callback-subscriptions.ts'
import type { Timer } from '../lib/timer.ts'
import type { Logger } from '../observability/logger.ts'
import type { BreakerSettings } from '../upstream/resilience/breaker.ts'

/** A configuration that names the payments API: the built-in sandbox has been started, where it was asked for. */
export type AppConfig = Omit<Config, 'upstream'> & { readonly upstream: Extract<UpstreamConfig, { kind: 'service' }> }

export type AppOptions = {
  readonly logger: Logger
  readonly clock?: () => Date
  /** By which reads of the payments API are paced. Default: the system's. */
  readonly timer?: Timer
  /** Called when the app cannot go on: what it has acknowledged is safe, and a new start is needed. */
  readonly onFatal?: () => void
  /** What replaces the usual settings of the breakers towards the payments API. */
  readonly breaker?: Partial<BreakerSettings>
  /** What replaces the usual limits of sockets, streams of events and callbacks. */
  readonly limits?: Partial<TransportLimits>
}

export type TransportLimits = Config['http']['socketLimits'] &
  CallbackLimits & {
    /** Milliseconds in which a peer must take some of an answer over HTTP. */
    readonly unreadMs: number
  }

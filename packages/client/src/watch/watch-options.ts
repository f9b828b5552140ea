import type { Connection, Transport, WakeSource } from '../connection/connection-attempt.ts'
import type { Timing } from '../connection/timing.ts'
import type { PaymentsEndpoint } from '../graph-endpoint.ts'

export type WatchOptions = PaymentsEndpoint & {
  /** The status token that came with the link, payment or agreement; it replaces the caller's token. */
  readonly statusToken?: string
  /** Cursor of the last processed update. Default: start with a snapshot. */
  readonly after?: string
  /** Transports to use, best first. Default: socket, sse, polling. */
  readonly transports?: readonly Transport[]
  /** Milliseconds between two polls. Default: 3000. */
  readonly pollMs?: number
  /** Language of labels and messages for the payer, as a BCP 47 tag. Default: English. */
  readonly locale?: string
  /** When aborted, ends the subscription. */
  readonly signal?: AbortSignal
  /** Called for every change of the connection state. */
  readonly onConnection?: (connection: Connection) => void
  /**
   * Reports that the app is active again, besides the browser's own events. In React Native:
   * `(check) => { const s = AppState.addEventListener('change', check); return () => s.remove() }`
   */
  readonly wake?: WakeSource
  /** Timeouts and delays. */
  readonly timing?: Partial<Timing>
}

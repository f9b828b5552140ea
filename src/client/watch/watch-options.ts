import type { Transport } from '../connection/open-transport.ts'
import type { Connection } from '../connection/reconnect.ts'
import type { Timing } from '../connection/timing.ts'
import type { WakeSource } from '../connection/wake-signal.ts'
import type { PaymentsEndpoint } from '../endpoint.ts'

export type WatchOptions = PaymentsEndpoint & {
  /** The capability that came with the link: its holder needs no token. */
  readonly statusToken?: string
  /** Cursor of the last update that was seen. Default: begin with a snapshot. */
  readonly after?: string
  /** Which transports to use, the best first. Default: socket, sse, polling. */
  readonly transports?: readonly Transport[]
  /** Between two polls, in milliseconds. Default: 3000. */
  readonly pollMs?: number
  /** Language of labels and messages for the payer, as a BCP 47 tag. Default: English. */
  readonly locale?: string
  /** Ends the watch. */
  readonly signal?: AbortSignal
  /** Told of every change of the connection. */
  readonly onConnection?: (connection: Connection) => void
  /**
   * Tells when the app is back, besides the browser's own events. In React Native:
   * `(check) => { const s = AppState.addEventListener('change', check); return () => s.remove() }`
   */
  readonly wake?: WakeSource
  /** How long things may take. */
  readonly timing?: Partial<Timing>
}

import type { IncomingMessage, RequestListener } from 'node:http'
import type { ApolloServerPlugin } from '@apollo/server'
import type { VerifyToken } from './access/own-verifier.ts'
import type { CreateShop } from './compose-shop.ts'
import type { Context } from './graphql/context.ts'
import type { OwnApollo } from './graphql/engine/own-apollo.ts'
import type { ExtensionContext, SchemaExtension } from './graphql/schema/schema-extension.ts'
import type { TransportLimits } from './http/create-http.ts'
import type { Timer } from './lib/timers.ts'
import type { Logger } from './observability/logger.ts'
import type { TailOptions } from './streams/tail.ts'
import type { BreakerSettings } from './upstream/resilience/breaker.ts'

export type AppOptions = {
  /** Default: JSON lines on standard output, of the configured level. */
  readonly logger?: Logger
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
  /** With plugins of Apollo Server, every query and mutation is executed by Apollo Server, and slower. */
  readonly plugins?: readonly ApolloServerPlugin<ExtensionContext>[]
  /** Adds fields and types to the schema. */
  readonly extension?: SchemaExtension
  /** Verifies client tokens in place of the keys of `JWT_SECRETS` and `JWT_JWKS_URL`. */
  readonly verifyToken?: VerifyToken
  /** Adds a demo shop below `/shop`, beside the emulator only. */
  readonly shop?: CreateShop
}

export type App = {
  /** URL at which the app listens, e.g. `http://127.0.0.1:4000`. */
  readonly url: string
  /** URL of the separate server for metrics and probes, e.g. `http://127.0.0.1:9464`; null for none. */
  readonly adminUrl: string | null
  /** Version of the database, such as 17.2. */
  readonly databaseVersion: string
  /** Answers a request of another server of node:http, with every address but that of WebSockets. */
  readonly handle: RequestListener
  /**
   * Returns what an Apollo Server of this program needs: its options, with the schema and the admission, and the context of a request. Its
   * plugins are those of `AppOptions`, unless others are added to the options.
   */
  apollo(): Promise<{
    readonly options: OwnApollo['options']
    readonly context: (received: { readonly req: IncomingMessage }) => Promise<Context>
  }>
  /** Resolves when no read of the payments API is in progress. */
  settle(): Promise<void>
  /**
   * Fetches the verification keys of client tokens now, instead of within five minutes; tokens of withdrawn keys are rejected
   * from then on, and their streams end. If the issuer does not answer, nothing changes.
   */
  refetchTokenKeys(): Promise<void>
  /**
   * Drains: rejects new work, asks sockets to reconnect elsewhere, finishes and stores the work in progress. A second call waits
   * for the first.
   */
  close(): Promise<void>
}

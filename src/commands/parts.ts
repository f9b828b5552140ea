import type { PayinMethod } from '../domain/methods/payin-method.ts'
import type { Store } from '../ledger/store.ts'
import type { PayoutFinder } from '../lookups/find-payouts.ts'
import type { MethodRequirementsReader } from '../lookups/method-requirements.ts'
import type { Logger } from '../observability/logger.ts'
import type { PaymentFinder } from '../reconciliation/imports/importer.ts'
import type { ReadResult } from '../reconciliation/single-flight-reader.ts'
import type { ReadSubject } from '../store/port.ts'
import type { Sites } from '../upstream/client/sites.ts'
import type { MethodCache } from '../upstream/methods/method-cache.ts'
import type { UpstreamClient } from '../upstream/upstream-client.ts'
import type { IdempotentCommands } from './idempotency/idempotent-command.ts'
import type { CallbackOptions, TraceOptions } from './idempotency/task.ts'

/** What commands are given. */
export type OperationsOptions = CallbackOptions & {
  readonly store: Store
  /** Reads a payment or a link from the payments API now, due or not, for a waiting caller. */
  readonly readPayment: (subject: ReadSubject, requestedBy: string | null) => Promise<ReadResult>
  readonly paymentFinder: PaymentFinder
  readonly upstream: UpstreamClient
  readonly linkMethods: MethodCache<PayinMethod>
  readonly requirements: MethodRequirementsReader
  readonly sites: Sites
  readonly logger: Logger
  readonly clock: () => Date
  /** Whether links tell the payments API the merchant's reference. */
  readonly sendLinkReference: boolean
  /** Whether the configured payments API is its sandbox. */
  readonly sandbox: boolean
  /** Rejects if the database could not record the result of a command. */
  readonly assertWritable: () => Promise<void>
  /** Returns the current span; null without traces. */
  readonly traceparent: () => string | null
  /** Is told the outcome of each command. */
  readonly onCommandEnded: (mutation: string, outcome: string) => void
  /** Called when a read of a payment or agreement has fallen due. */
  readonly onReadDue: () => void
  /** Called when an erasure is to be continued in the background. */
  readonly onErasureLeft: () => void
  /** Called when there is an import to work on in the background. */
  readonly onImportBegun: () => void
  /** The same of replays of deliveries. */
  readonly onReplayBegun: () => void
}

/** The same for a command with an idempotency key. */
export type CommandParts = OperationsOptions &
  TraceOptions & {
    /** The commands of the caller. */
    readonly once: IdempotentCommands
    readonly payoutFinder: PayoutFinder
  }

import type { Command } from '../../domain/command.ts'
import type { GatewayPaymentFacts } from '../../domain/gateway/gateway-payment.ts'
import type { CommandFailure } from '../../lookups/operation-outcome.ts'
import type { CommandSubject, RefKind } from '../../store/store.ts'

/** A command: how it is sent, recorded, searched for and repeated. */
export type Task<Answer, Result> = {
  readonly mutation: string
  /** The caller's idempotency key. */
  readonly key: string
  readonly input: unknown
  /** Site whose credentials are used; named in errors. */
  readonly site: string
  /** The payment or agreement that the command changes and returns. */
  readonly subject?: CommandSubject
  /** The kind of object that the attempt's correlation id identifies in webhook URLs; null if the call has no webhook. */
  readonly refKind: RefKind | null
  /** What is recorded with the attempt, so that it is known also if no answer comes. */
  readonly requested?: GatewayPaymentFacts
  /** Calls the payments API once. Rejects with an `UpstreamFault`. */
  readonly send: (ref: string) => Promise<Answer>
  /** Records the answer and ends the command in one transaction. */
  readonly settle: (command: Command, answer: Answer) => Promise<Result>
  /** Returns the result of the completed command again. */
  readonly replay: (command: Command) => Promise<Result | null>
  /** Searches for the outcome of an attempt without an answer; null if nothing is found. */
  readonly findOutcome: (command: Command) => Promise<Answer | null>
  /** Milliseconds after which an attempt whose search found nothing may be repeated; null for never. */
  readonly repeatAfterMs: number | null
  /** Returns whether the recorded facts about earlier attempts allow another. Default: they do. */
  readonly mayRepeat?: (command: Command) => Promise<boolean>
  /**
   * Whether the payments API itself keeps the key unique. Then the refusal of a repeated attempt may mean that an earlier one
   * succeeded, so the outcome is searched for before the refusal is returned.
   */
  readonly uniqueUpstream?: boolean
}

export type Done<Result> = { readonly kind: 'done'; readonly result: Result; readonly replayed: boolean }

export type CommandOutcome<Result> = Done<Result> | CommandFailure

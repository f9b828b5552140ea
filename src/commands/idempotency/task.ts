import type { Command } from '../../domain/command.ts'
import type { CommandFailure } from '../../lookups/operation-outcome.ts'
import type { CommandSubject, RefKind } from '../../store/store.ts'

/** A command and how it is carried out, tried again, and recognised. */
export type Task<Answer, Result> = {
  readonly mutation: string
  /** The caller's idempotency key. */
  readonly key: string
  readonly input: unknown
  /** Id of the credentials that are used, for errors. */
  readonly site: string
  /** The payment or agreement that it changes, which is also its result. */
  readonly subject?: CommandSubject
  /** What the correlation id of an attempt stands for at our webhook addresses; null when the payments API calls none back. */
  readonly refKind: RefKind | null
  /** Asks the payments API, once. Rejects with an `UpstreamFault`. */
  readonly send: (ref: string) => Promise<Answer>
  /** Commits what the answer means, together with the end of the command. */
  readonly settle: (command: Command, answer: Answer) => Promise<Result>
  /** The first result again. */
  readonly replay: (command: Command) => Promise<Result | null>
  /** Looks for what an attempt without an answer may have done; null when there is no trace of it. */
  readonly findOutcome: (command: Command) => Promise<Answer | null>
  /** Milliseconds after which an attempt without a trace may be followed by another; null for never. */
  readonly repeatAfterMs: number | null
  /** Whether nothing that is known of earlier attempts forbids another. Default: nothing does. */
  readonly mayRepeat?: (command: Command) => Promise<boolean>
  /**
   * The payments API itself keeps the key unique: a refusal of a further attempt may mean that an earlier one was done, so the
   * trace is looked for before the refusal is believed.
   */
  readonly uniqueUpstream?: boolean
}

export type Done<Result> = { readonly kind: 'done'; readonly result: Result; readonly replayed: boolean }

export type CommandOutcome<Result> = Done<Result> | CommandFailure

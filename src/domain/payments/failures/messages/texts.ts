import type { FailureCode } from '../failure-table.ts'
import type { NextActionKind } from '../next-action-kind.ts'

/** All texts for a payer, in one language. If a language omits a code, it does not compile. */
export type Texts = {
  readonly failures: Readonly<Record<FailureCode, string>>
  /** Labels for a button, or next to it. */
  readonly nextActions: Readonly<Record<NextActionKind, string>>
}

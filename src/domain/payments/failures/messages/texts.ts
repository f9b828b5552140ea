import type { FailureCode } from '../failure-table.ts'
import type { NextActionKind } from '../next-action-kind.ts'

/** All texts for payers in one language. A language without one of the codes does not compile. */
export type Texts = {
  readonly failures: Readonly<Record<FailureCode, string>>
  /** Labels of buttons. */
  readonly nextActions: Readonly<Record<NextActionKind, string>>
}

import type { FailureCode } from '../failure-table.ts'
import type { NextActionKind } from '../next-action-kind.ts'

/** Everything that a payer reads, in one language. A language that leaves a code out does not compile. */
export type Texts = {
  readonly failures: Readonly<Record<FailureCode, string>>
  /** Labels, as they stand on a button or beside it. */
  readonly nextActions: Readonly<Record<NextActionKind, string>>
}

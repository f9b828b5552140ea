/** The numbers of a test run. */
export type Tally = { readonly passed: number; readonly failed: number; readonly skipped: number }

/** Returns the last line of a run. It names skipped tests only when there are any. */
export function summary({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

/** Maximum number of retried tests; a busy machine does not explain more. */
const MAX_SECOND_TRIES = 5

/** Returns whether a run counts as successful: at least one test must have passed. */
export function isGreen({ passed, failed }: Tally, secondTries: number): boolean {
  return failed === 0 && passed > 0 && secondTries <= MAX_SECOND_TRIES
}

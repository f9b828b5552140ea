/** How the tests went. */
export type Tally = { readonly passed: number; readonly failed: number; readonly skipped: number }

/** The last line of a run. Skipped tests are named only where there are any. */
export function summary({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

/** More second tries than this are no matter of a busy machine. */
const MAX_SECOND_TRIES = 5

/** Whether a run may count as good: a run without a single test that passed proves nothing. */
export function isGreen({ passed, failed }: Tally, secondTries: number): boolean {
  return failed === 0 && passed > 0 && secondTries <= MAX_SECOND_TRIES
}

/** True with `npm run test:faults`, which runs the full numbers; other test runs use smaller ones. */
export const FULL = process.env['TEST_FAULTS'] === 'full'

/** Returns the number of repetitions: `few` in every test run, `many` in a full run. */
export function rounds({ few, many }: { few: number; many: number }): number {
  return FULL ? many : few
}

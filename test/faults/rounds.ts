/** `npm run test:faults` asks for the full figures; a plain test run for those that fit into it. */
export const FULL = process.env['TEST_FAULTS'] === 'full'

/** How often something is done: `few` in every test run, `many` on demand. */
export function rounds({ few, many }: { few: number; many: number }): number {
  return FULL ? many : few
}

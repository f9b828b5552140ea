import { seeded } from './seed.ts'

/** True with `TEST_FAULTS=full`, for the full numbers; other test runs use smaller ones. */
export const FULL = process.env['TEST_FAULTS'] === 'full'

/** Returns the number of repetitions: `few` in every test run, `many` in a full run. */
export function rounds({ few, many }: { few: number; many: number }): number {
  return FULL ? many : few
}

/** Returns all cases in a full run, and in every other one `few` of them, chosen by the seed, in their order. */
export function casesOf<Case>(what: string, cases: readonly Case[], few: number): readonly Case[] {
  if (FULL || few >= cases.length) return cases
  const { between } = seeded(what)
  const chosen = new Set<number>()
  while (chosen.size < few) chosen.add(between(0, cases.length - 1))
  return cases.filter((_, index) => chosen.has(index))
}

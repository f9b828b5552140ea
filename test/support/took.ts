import { expect } from 'vitest'
import { FULL } from '../faults/rounds.ts'

/**
 * Asserts that work took less than `most` milliseconds, but only in the full forms (`npm run test:faults`, `npm run test:attacks`), which
 * run nothing beside it: elsewhere the machine decides.
 */
export function expectTook(milliseconds: number, most: number): void {
  if (FULL) expect(milliseconds).toBeLessThan(most)
}

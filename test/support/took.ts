import { expect } from 'vitest'
import { FULL } from '../faults/rounds.ts'

/**
 * Asserts that work took less than `most` milliseconds, but only with `TEST_FAULTS=full`, where nothing
 * runs beside it: elsewhere the machine decides.
 */
export function expectTook(milliseconds: number, most: number): void {
  if (FULL) expect(milliseconds).toBeLessThan(most)
}

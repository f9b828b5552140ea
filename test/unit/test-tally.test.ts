import { describe, expect, it } from 'vitest'
import { isGreen, summary } from '../../scripts/test-tally.ts'

const GOOD = { passed: 3, failed: 0, skipped: 0 }

describe('a run of the tests', () => {
  it.each([
    ['is good when all passed', GOOD, 0, true],
    ['is good when a few needed a second try', GOOD, 5, true],
    ['is not when many did', GOOD, 6, false],
    ['is not when one failed', { ...GOOD, failed: 1 }, 0, false],
    ['is not when nothing ran', { passed: 0, failed: 0, skipped: 7 }, 0, false],
  ])('%s', (_name, tally, secondTries, expected) => expect(isGreen(tally, secondTries)).toBe(expected))

  it('is summed up in a line', () => {
    expect(summary(GOOD)).toBe('3 passed, 0 failed')
    expect(summary({ ...GOOD, skipped: 2 })).toBe('3 passed, 0 failed, 2 skipped')
  })
})

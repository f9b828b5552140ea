import { describe, expect, test } from 'vitest'
import { faultOf } from '../../bench/support/http/wrk.ts'

describe('the check of what a load was answered', () => {
  const answered = { requests: 1_000, bytes: 500_000, refused: 0, failed: 0 }

  test('finds nothing where every answer was 200 and of the expected size', () => {
    expect(faultOf(answered, 500)).toBeNull()
  })

  test.each([
    ['refusals', { refused: 1 }, '1 of 1000 requests were not answered with 200.'],
    ['connections that end', { failed: 2 }, '2 of 1000 requests were not answered.'],
    ['silence', { requests: 0, bytes: 0 }, 'No request was answered.'],
    [
      'answers that are too short to be right',
      { bytes: 150_000 },
      'Answers have 150 bytes in the mean in place of 500.',
    ],
  ])('finds %s', (_name, difference, fault) => {
    expect(faultOf({ ...answered, ...difference }, 500)).toBe(fault)
  })
})

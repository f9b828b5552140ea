import { randomInt } from 'node:crypto'
import { expect, it } from 'vitest'
import { sign, verify } from '../../src/webhooks/signature.ts'

const SECRET = 'webhook-secret-of-the-timing'
const SAMPLES = 100_000
/** Two-sided, at p < 0.01. */
const Z = 2.576
const LARGEST_DIFFERENCE_NS = 1_000

const BODY = Buffer.from('{"uuid":"PAY1","status":"received"}')
const RIGHT = sign(BODY, SECRET)

type Sample = { readonly first: boolean; readonly nanoseconds: number }

/** Measures one check of a signature that is wrong in its first or its last digit, at random. */
function sample(): Sample {
  const first = randomInt(2) === 0
  const place = first ? 0 : RIGHT.length - 1
  const digit = (Number.parseInt(RIGHT[place] ?? '', 16) + randomInt(1, 16)) % 16
  const digits = Buffer.from(RIGHT, 'latin1')
  digits.write(digit.toString(16), place, 'latin1')
  const signature = digits.toString('latin1')
  const begun = process.hrtime.bigint()
  verify(BODY, signature, [SECRET])
  return { first, nanoseconds: Number(process.hrtime.bigint() - begun) }
}

/**
 * Returns how far the two groups differ, in standard deviations of a random order: the rank-sum test of Mann and Whitney with its
 * correction for ties. Single pauses of the machine do not affect it.
 */
function rankSumZ(samples: readonly Sample[]): number {
  const sorted = samples.toSorted((a, b) => a.nanoseconds - b.nanoseconds)
  const n = sorted.length
  const n1 = sorted.filter(({ first }) => first).length
  let ranks = 0
  let ties = 0
  for (let from = 0; from < n;) {
    let to = from
    while (to < n && sorted[to]?.nanoseconds === sorted[from]?.nanoseconds) to += 1
    const equal = sorted.slice(from, to)
    ranks += equal.filter(({ first }) => first).length * ((from + 1 + to) / 2)
    ties += equal.length ** 3 - equal.length
    from = to
  }
  const expected = (n1 * (n + 1)) / 2
  const variance = ((n1 * (n - n1)) / 12) * (n + 1 - ties / (n * (n - 1)))
  return (ranks - expected) / Math.sqrt(variance)
}

function median(samples: readonly Sample[], first: boolean): number {
  const sorted = samples
    .filter((one) => one.first === first)
    .map(({ nanoseconds }) => nanoseconds)
    .toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

// promise(webhooks): Signatures and secrets are compared in constant time.
it('a signature that is wrong in its first digit is refused no sooner than one that is wrong in its last', () => {
  for (let warm = 0; warm < 20_000; warm++) sample()
  // A leak appears in every round and in one direction; by chance one round in a hundred exceeds the bound.
  const looks = Array.from({ length: 3 }, () => {
    const samples = Array.from({ length: SAMPLES }, sample)
    return { z: rankSumZ(samples), difference: median(samples, true) - median(samples, false) }
  })
  for (const { difference } of looks) expect(Math.abs(difference)).toBeLessThan(LARGEST_DIFFERENCE_NS)
  expect(looks.every(({ z }) => z > Z) || looks.every(({ z }) => z < -Z)).toBe(false)
})

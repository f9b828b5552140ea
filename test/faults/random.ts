/** Returns a number from 0 up to, but not including, 1. */
export type Random = () => number

/** Creates a generator that returns the same numbers for the same seed (mulberry32, public domain). */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Returns the seed of this run, below 2^31: `TEST_SEED`, or a new one. Print it, so that the run can be repeated. */
export function newSeed(): number {
  const given = process.env['TEST_SEED']
  return given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given)
}

import { newSeed, randomFrom } from './random.ts'
import { tell } from './tell.ts'

/** Random numbers that can be repeated with their seed. */
export type Figures = {
  /** Returns a whole number from `min` to `max`, both included. */
  between(min: number, max: number): number
}

/** Creates a generator from `TEST_SEED` or a new seed, and prints the seed. */
export function seeded(what: string): Figures {
  const seed = newSeed()
  tell(`${what}: TEST_SEED=${seed}`)
  const random = randomFrom(seed)
  return { between: (min, max) => min + Math.floor(random() * (max - min + 1)) }
}

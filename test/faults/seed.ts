import { newSeed, randomFrom } from './random.ts'
import { tell } from './tell.ts'

/** Random figures that a seed repeats. */
export type Figures = {
  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number
}

/** Figures of a new seed, which is printed, or of the one in `TEST_SEED`. */
export function seeded(what: string): Figures {
  const seed = newSeed()
  tell(`${what}: TEST_SEED=${seed}`)
  const random = randomFrom(seed)
  return { between: (min, max) => min + Math.floor(random() * (max - min + 1)) }
}

import { type Arbitrary, array, asyncDefaultReportMessage, asyncProperty, boolean, check } from 'fast-check'
import type { Store } from '../../../src/ledger/store.ts'
import { newSeed } from '../../faults/random.ts'
import type { Fixture, OpenStore } from './store-contract.ts'

/** Histories of random steps, one after the other or all at once. */
export type RandomHistories<Step> = {
  readonly step: Arbitrary<Step>
  /** Maximum number of steps. */
  readonly longest: number
  /** Prepares a store. Returns the function that carries out a step. */
  readonly begin: (store: Store) => Promise<(step: Step, index: number) => Promise<void>>
  /** Called after each step of those that are carried out one after the other. */
  readonly watch?: (store: Store) => Promise<void>
  /** Asserts what holds after the last step. */
  readonly examine: (store: Store) => Promise<void>
}

/** Returns the report of the shortest history that fails, with its seed, which TEST_SEED repeats; null if none does. */
export async function failingHistory<Step>(
  { fixture, open }: { readonly fixture: Fixture; readonly open: OpenStore },
  { step, longest, begin, watch, examine }: RandomHistories<Step>,
): Promise<string | null> {
  const seed = newSeed()
  const lengths = { minLength: 5, maxLength: longest }
  const histories = asyncProperty(array(step, lengths), boolean(), async (steps, atOnce) => {
    const { store, destroy } = await open(() => fixture.now)
    try {
      const play = await begin(store)
      if (atOnce) await Promise.all(steps.map(play))
      else
        for (const [index, next] of steps.entries()) {
          await play(next, index)
          await watch?.(store)
        }
      await examine(store)
    } finally {
      await destroy()
    }
  })
  const result = await check(histories, { seed, numRuns: fixture.histories })
  return result.failed ? ((await asyncDefaultReportMessage(result)) ?? 'A history fails.') : null
}

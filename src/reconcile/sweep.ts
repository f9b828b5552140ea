import type { ReadStore, Unfinal } from '../store/store.ts'

const PAGE = 200

/**
 * Plans a read, now, of every payment and link that is not final, and gives how many. The reader takes them at its own
 * pace; a read that finds nothing new changes nothing.
 */
export async function sweep(reads: Pick<ReadStore, 'unfinal' | 'schedule'>, now: Date): Promise<number> {
  let count = 0
  let page: Unfinal[] = []
  do {
    page = await reads.unfinal(page.at(-1)?.cursor ?? null, PAGE)
    for (const { id } of page) await reads.schedule(id, now)
    count += page.length
  } while (page.length === PAGE)
  return count
}

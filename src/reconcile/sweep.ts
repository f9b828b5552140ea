import type { ReadStore, Unfinal } from '../store/store.ts'

const PAGE = 200

/**
 * Plans a read of every payment and link that is not final, and gives how many: one a millisecond, so that the reader, who
 * takes what has been due for longest, keeps to their order. A read that finds nothing new changes nothing.
 */
export async function sweep(reads: Pick<ReadStore, 'unfinal' | 'schedule'>, now: Date): Promise<number> {
  let count = 0
  let page: Unfinal[] = []
  do {
    page = await reads.unfinal(page.at(-1)?.cursor ?? null, PAGE)
    for (const { id } of page) await reads.schedule(id, new Date(now.getTime() + count++))
  } while (page.length === PAGE)
  return count
}

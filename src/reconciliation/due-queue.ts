import type { ReadClass } from '../domain/reads/read-schedule.ts'

/** Reads of one class at one site: each such pair is worked off by itself. */
export type ReadLane = { readonly site: string; readonly readClass: ReadClass }

/** What is due, by site and class. */
export type DueQueue<Subject> = {
  /** The next subject of a lane that was due when it was looked for; null when none is. One caller at a time for a lane. */
  next(lane: ReadLane): Promise<Subject | null>
  /** The subject as it is now; null when it is not due any more, or not wanted. */
  stillDue(subject: Subject): Promise<Subject | null>
  /** Something may have fallen due in a lane. */
  touch(lane: ReadLane): void
  /** Forgets what was fetched: it is looked for anew. */
  reset(lane: ReadLane): void
  /** Whether `next` would look for more. */
  isOpen(lane: ReadLane): boolean
  close(): void
}

/** What the queue needs to know of its subjects. */
export type DueSource<Subject> = {
  /** Every site that a subject may belong to. */
  readonly sites: readonly string[]
  /** Subjects of a lane whose read is due, longest due first, at most `limit`. */
  due(lane: ReadLane, now: Date, limit: number): Promise<readonly Subject[]>
  /** The subject as it is now; null when it does not exist any more. */
  again(subject: Subject): Promise<Subject | null>
  site(subject: Subject): string
  dueAt(subject: Subject): Date | null
}

export type DueQueueOptions<Subject> = {
  readonly source: DueSource<Subject>
  readonly clock: () => Date
  /** False for what is being read already. */
  readonly isWanted: (subject: Subject) => boolean
}

/** Subjects that are fetched at once: a few seconds' work, so that they do not grow old in memory. */
const PAGE = 20

/** Keeps a short queue for each lane, and fills it by an index look-up when it is empty. */
export function createDueQueue<Subject>({ source, clock, isWanted }: DueQueueOptions<Subject>): DueQueue<Subject> {
  const queues = new Map<string, Subject[]>()
  /** Lanes of which nothing more was due when they were looked at last. */
  const exhausted = new Set<string>()
  let closed = false

  const fill = async (lane: ReadLane) => {
    const key = laneKey(lane)
    exhausted.add(key)
    try {
      const page = await source.due(lane, clock(), PAGE)
      queues.set(key, page.filter(isWanted))
      if (page.length === PAGE) exhausted.delete(key)
    } catch (error) {
      exhausted.delete(key)
      throw error
    }
  }

  return {
    async next(lane) {
      const key = laneKey(lane)
      while (!closed) {
        const subject = queues.get(key)?.shift()
        if (subject !== undefined) return subject
        if (exhausted.has(key)) return null
        await fill(lane)
      }
      return null
    },
    async stillDue(subject) {
      const fresh = await source.again(subject)
      const dueAt = fresh === null ? null : source.dueAt(fresh)
      return fresh !== null && dueAt !== null && dueAt <= clock() && isWanted(fresh) ? fresh : null
    },
    touch: (lane) => void exhausted.delete(laneKey(lane)),
    reset(lane) {
      queues.delete(laneKey(lane))
      exhausted.delete(laneKey(lane))
    },
    isOpen: (lane) => !exhausted.has(laneKey(lane)) || (queues.get(laneKey(lane))?.length ?? 0) > 0,
    close() {
      closed = true
    },
  }
}

/** Tells lanes apart. */
export function laneKey({ site, readClass }: ReadLane): string {
  return `${readClass} ${site}`
}

import type { ReadClass } from '../domain/reads/read-schedule.ts'

/** Reads of one class at one site: each such pair is worked off by itself. */
export type DueQueueKey = { readonly site: string; readonly readClass: ReadClass }

/** What is due, by site and class. */
export type DueQueue<Subject> = {
  /** The next subject of a site and class that was due when it was looked for; null when none is. One caller at a time for a site and class. */
  next(queueKey: DueQueueKey): Promise<Subject | null>
  /** The subject as it is now; null when it is not due any more, or not wanted. */
  stillDue(subject: Subject): Promise<Subject | null>
  /** Something may have fallen due in a site and class. */
  touch(queueKey: DueQueueKey): void
  /** Forgets what was fetched: it is looked for anew. */
  reset(queueKey: DueQueueKey): void
  /** Whether `next` would look for more. */
  isOpen(queueKey: DueQueueKey): boolean
  close(): void
}

/** What the queue needs to know of its subjects. */
export type DueSource<Subject> = {
  /** Every site that a subject may belong to. */
  readonly sites: readonly string[]
  /** Subjects of a site and class whose read is due, longest due first, at most `limit`. */
  due(queueKey: DueQueueKey, now: Date, limit: number): Promise<readonly Subject[]>
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

/** Keeps a short queue for each site and class, and fills it by an index look-up when it is empty. */
export function createDueQueue<Subject>({ source, clock, isWanted }: DueQueueOptions<Subject>): DueQueue<Subject> {
  const queues = new Map<string, Subject[]>()
  /** Lanes of which nothing more was due when they were looked at last. */
  const exhausted = new Set<string>()
  let closed = false

  const fill = async (queueKey: DueQueueKey) => {
    const key = dueQueueId(queueKey)
    exhausted.add(key)
    try {
      const page = await source.due(queueKey, clock(), PAGE)
      queues.set(key, page.filter(isWanted))
      if (page.length === PAGE) exhausted.delete(key)
    } catch (error) {
      exhausted.delete(key)
      throw error
    }
  }

  return {
    async next(queueKey) {
      const key = dueQueueId(queueKey)
      while (!closed) {
        const subject = queues.get(key)?.shift()
        if (subject !== undefined) return subject
        if (exhausted.has(key)) return null
        await fill(queueKey)
      }
      return null
    },
    async stillDue(subject) {
      const fresh = await source.again(subject)
      const dueAt = fresh === null ? null : source.dueAt(fresh)
      return fresh !== null && dueAt !== null && dueAt <= clock() && isWanted(fresh) ? fresh : null
    },
    touch: (queueKey) => void exhausted.delete(dueQueueId(queueKey)),
    reset(queueKey) {
      queues.delete(dueQueueId(queueKey))
      exhausted.delete(dueQueueId(queueKey))
    },
    isOpen: (queueKey) => !exhausted.has(dueQueueId(queueKey)) || (queues.get(dueQueueId(queueKey))?.length ?? 0) > 0,
    close() {
      closed = true
    },
  }
}

/** The text of a key. */
export function dueQueueId({ site, readClass }: DueQueueKey): string {
  return `${readClass} ${site}`
}

import type { ReadClass } from '../domain/reads/read-schedule.ts'

/** A queue holds the due reads of one class at one site; each queue is processed separately. */
export type DueQueueKey = { readonly site: string; readonly readClass: ReadClass }

/** Due reads, queued by site and class. */
export type DueQueue<Subject> = {
  /**
   * Returns the next subject that was due when the queue was filled; null if there is none. One caller at a time per site and
   * class.
   */
  next(queueKey: DueQueueKey): Promise<Subject | null>
  /** Returns the subject's current state; null if it is not due or not wanted any more. */
  stillDue(subject: Subject): Promise<Subject | null>
  /** Tells the queue that a read of this site and class may have fallen due. */
  touch(queueKey: DueQueueKey): void
  /** Discards the fetched subjects; they are fetched again. */
  reset(queueKey: DueQueueKey): void
  /** Whether `next` would query for more subjects. */
  isOpen(queueKey: DueQueueKey): boolean
  close(): void
}

/** How the queue fetches and inspects its subjects. */
export type DueSource<Subject> = {
  /** All sites that a subject may belong to. */
  readonly sites: readonly string[]
  /** Returns subjects of a site and class whose read is due, earliest due time first, at most `limit`. */
  due(queueKey: DueQueueKey, now: Date, limit: number): Promise<readonly Subject[]>
  /** Returns the subject's current state; null if it does not exist any more. */
  again(subject: Subject): Promise<Subject | null>
  site(subject: Subject): string
  dueAt(subject: Subject): Date | null
}

export type DueQueueOptions<Subject> = {
  readonly source: DueSource<Subject>
  readonly clock: () => Date
  /** Returns false for a subject that is being read already. */
  readonly isWanted: (subject: Subject) => boolean
}

/** Subjects fetched at once: a few seconds' work, so that they do not become stale in memory. */
const PAGE = 20

/** Keeps a short queue per site and class, and refills it by an index look-up when it is empty. */
export function createDueQueue<Subject>({ source, clock, isWanted }: DueQueueOptions<Subject>): DueQueue<Subject> {
  const queues = new Map<string, Subject[]>()
  /** Queues for which the last query found nothing more due. */
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

/** Returns the key as a string, for maps. */
export function dueQueueId({ site, readClass }: DueQueueKey): string {
  return `${readClass} ${site}`
}

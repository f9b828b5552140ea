import type { ReadClass } from '../domain/reads/read-schedule.ts'
import { LeaseLostError } from '../store/store-errors.ts'
import type { Lease, ReadOutcome } from '../store/store.ts'
import type { ReadBudget, ReadPermit } from './read-budget.ts'
import type { SiteTrouble } from './site-pace.ts'

/** Result of the read of one subject; `error` says why there was no answer to record. */
export type ReadResult =
  | { readonly kind: 'read'; readonly outcome: ReadOutcome }
  | { readonly kind: 'failed'; readonly error: unknown }

/** A result, and what a failure means for the whole site. */
type Attempt = { readonly result: ReadResult; readonly trouble: SiteTrouble | null }

/** Calls the payments API with at most one concurrent read per subject. */
export type SingleFlightReader<Subject> = {
  /** Reads within the permit of a planned read, under the lease; a list page may cover neighbouring subjects as well. */
  ask(subject: Subject, permit: ReadPermit, lease: Lease): Promise<Attempt>
  /** Reads for a waiting caller, without a lease; joins a read that is in progress. */
  read(subject: Subject): Promise<ReadResult>
  isAsking(subject: Subject): boolean
}

type SingleFlightOptions<Subject> = {
  readonly source: Pick<DueSource<Subject>, 'again' | 'site'> & {
    ask(subject: Subject): Promise<ReadOutcome>
    askPlanned(subject: Subject, lease: Lease): Promise<ReadOutcome>
    key(subject: Subject): string
  }
  readonly budget: ReadBudget
  readonly onRead: (outcome: ReadOutcome | 'failed') => void
}

/** How often a caller's read is repeated because a webhook arrived during it. */
const MAX_SUPERSEDED = 3

export function createSingleFlightReader<Subject>({
  source,
  budget,
  onRead,
}: SingleFlightOptions<Subject>): SingleFlightReader<Subject> {
  /** Reads in progress, by subject key. */
  const underWay = new Map<string, Promise<Attempt>>()

  const askWithPermit = async (subject: Subject, permit: ReadPermit, lease: Lease | null): Promise<Attempt> => {
    try {
      const outcome = await (lease === null ? source.ask(subject) : source.askPlanned(subject, lease))
      onRead(outcome)
      return { result: { kind: 'read', outcome }, trouble: permit.end(null) }
    } catch (error) {
      // Answered, but another process has recorded or will record an answer.
      onRead(error instanceof LeaseLostError ? 'superseded' : 'failed')
      return { result: { kind: 'failed', error }, trouble: permit.end(error) }
    } finally {
      underWay.delete(source.key(subject))
    }
  }

  const begin = (subject: Subject, permit: ReadPermit, lease: Lease | null): Promise<Attempt> => {
    const asking = askWithPermit(subject, permit, lease)
    underWay.set(source.key(subject), asking)
    return asking
  }

  const askForPerson = async (subject: Subject): Promise<ReadResult> => {
    const joined = await underWay.get(source.key(subject))
    if (joined !== undefined && !isRefused(joined.result)) return joined.result
    let permit: ReadPermit
    try {
      permit = await budget.acquire(source.site(subject), 'person')
    } catch (error) {
      return { kind: 'failed', error }
    }
    // Another caller may have started a read while this one waited for its permit.
    const other = underWay.get(source.key(subject))
    if (other !== undefined) permit.cancel()
    return (await (other ?? begin(subject, permit, null))).result
  }

  return {
    ask: (subject, permit, lease) => begin(subject, permit, lease),
    async read(subject) {
      let result = await askForPerson(subject)
      for (
        let tries = 1;
        result.kind === 'read' && result.outcome === 'superseded' && tries < MAX_SUPERSEDED;
        tries++
      ) {
        const fresh = await source.again(subject)
        if (fresh === null) break
        result = await askForPerson(fresh)
      }
      return result
    },
    isAsking: (subject) => underWay.has(source.key(subject)),
  }
}

/** Returns whether the store refused the answer to a planned read because of its lease: a caller then reads without a lease. */
function isRefused(result: ReadResult): boolean {
  return result.kind === 'failed' && result.error instanceof LeaseLostError
}

/** A queue holds the due reads of one class at one site; each queue is processed separately. */
export type DueQueueKey = { readonly site: string; readonly readClass: ReadClass }

/** Due reads, queued by site and class. */
type DueQueue<Subject> = {
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

type DueQueueOptions<Subject> = {
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

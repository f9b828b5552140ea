import { LeaseLostError } from '../store/store-errors.ts'
import type { Lease, ReadOutcome } from '../store/store.ts'
import type { DueSource } from './due-queue.ts'
import type { ReadBudget, ReadPermit } from './read-budget.ts'
import type { SiteTrouble } from './site-trouble.ts'

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

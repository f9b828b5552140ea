import type { LogFields } from '../observability/logger.ts'
import type { Lease, ReadOutcome } from '../store/port.ts'
import { LeaseLostError } from '../store/store-errors.ts'
import type { ReadBudget, ReadPermit } from './read-budget.ts'
import type { SiteTrouble } from './site-trouble.ts'

/** Something that can be read from the payments API, as it is recorded. */
export type Readable = {
  /** Unique among all. */
  readonly key: string
  /** Id of the site that is asked; empty if its credentials are not configured. */
  readonly site: string
  /** When its read is due; null if none is planned. */
  readonly dueAt: Date | null
  /** Failed or fruitless reads in a row. */
  readonly failures: number
  /** Fields that may be logged about it. */
  readonly ids: LogFields
  /**
   * Reads it from the payments API and records the result. Rejects if the call fails or if the answer is about something else, and with
   * `LeaseLostError` if the lease of a planned read is not the current one. A caller's read has no lease.
   */
  ask(lease: Lease | null): Promise<ReadOutcome>
  /** Records that a planned read gave no result, and when to try again; null for never. Lease as for `ask`. */
  postpone(until: Date | null, lease: Lease): Promise<void>
  /** Returns what is recorded now; null if it does not exist any more. */
  again(): Promise<Readable | null>
}

/** Result of one read; `error` says why there was no answer to record. */
export type ReadResult =
  | { readonly kind: 'read'; readonly outcome: ReadOutcome }
  | { readonly kind: 'failed'; readonly error: unknown }

/** A result, and what a failure means for the whole site. */
type Attempt = { readonly result: ReadResult; readonly trouble: SiteTrouble | null }

/** Calls the payments API with at most one concurrent read per subject. */
export type SingleFlightReader = {
  /** Reads within the permit of a planned read, under the lease. */
  ask(readable: Readable, permit: ReadPermit, lease: Lease): Promise<Attempt>
  /** Reads for a waiting caller, without a lease; joins a read that is in progress. */
  read(readable: Readable): Promise<ReadResult>
  isAsking(key: string): boolean
}

type SingleFlightOptions = {
  readonly budget: ReadBudget
  /** Called after each call to the payments API. */
  readonly onRead: (outcome: ReadOutcome | 'failed') => void
}

/** How often a caller's read is repeated because a webhook arrived during it. */
const MAX_SUPERSEDED = 3

export function createSingleFlightReader({ budget, onRead }: SingleFlightOptions): SingleFlightReader {
  /** Reads in progress, by key. */
  const underWay = new Map<string, Promise<Attempt>>()

  const askWithPermit = async (readable: Readable, permit: ReadPermit, lease: Lease | null): Promise<Attempt> => {
    try {
      const outcome = await readable.ask(lease)
      onRead(outcome)
      return { result: { kind: 'read', outcome }, trouble: permit.end(null) }
    } catch (error) {
      // Answered, but another process has recorded or will record an answer.
      onRead(error instanceof LeaseLostError ? 'superseded' : 'failed')
      return { result: { kind: 'failed', error }, trouble: permit.end(error) }
    } finally {
      underWay.delete(readable.key)
    }
  }

  const begin = (readable: Readable, permit: ReadPermit, lease: Lease | null): Promise<Attempt> => {
    const asking = askWithPermit(readable, permit, lease)
    underWay.set(readable.key, asking)
    return asking
  }

  const askForPerson = async (readable: Readable): Promise<ReadResult> => {
    const joined = await underWay.get(readable.key)
    if (joined !== undefined && !isRefused(joined.result)) return joined.result
    let permit: ReadPermit
    try {
      permit = await budget.acquire(readable.site, 'person')
    } catch (error) {
      return { kind: 'failed', error }
    }
    // Another caller may have started a read while this one waited for its permit.
    const other = underWay.get(readable.key)
    if (other !== undefined) permit.cancel()
    return (await (other ?? begin(readable, permit, null))).result
  }

  return {
    ask: begin,
    async read(readable) {
      let result = await askForPerson(readable)
      for (
        let tries = 1;
        result.kind === 'read' && result.outcome === 'superseded' && tries < MAX_SUPERSEDED;
        tries++
      ) {
        const fresh = await readable.again()
        if (fresh === null) break
        result = await askForPerson(fresh)
      }
      return result
    },
    isAsking: (key) => underWay.has(key),
  }
}

/** Returns whether the store refused the answer to a planned read because of its lease: a caller then reads without a lease. */
function isRefused(result: ReadResult): boolean {
  return result.kind === 'failed' && result.error instanceof LeaseLostError
}

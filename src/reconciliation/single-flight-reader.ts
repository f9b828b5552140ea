import type { ReadOutcome } from '../store/store.ts'
import type { DueSource } from './due-queue.ts'
import type { ReadBudget, Turn } from './read-budget.ts'
import type { SiteTrouble } from './site-trouble.ts'

/** What a read of one subject came to; `error` tells why there was no answer to record. */
export type ReadResult =
  | { readonly kind: 'read'; readonly outcome: ReadOutcome }
  | { readonly kind: 'failed'; readonly error: unknown }

/** A result, and what a failure tells of the site. */
type Attempt = { readonly result: ReadResult; readonly trouble: SiteTrouble | null }

/** Asks the payments API, about each subject once at a time. */
export type SingleFlightReader<Subject> = {
  /** Asks in a turn that was granted to a planned read; with one page of a list also for its neighbours. */
  ask(subject: Subject, turn: Turn): Promise<Attempt>
  /** Asks for somebody who waits, and joins a read that is under way. */
  read(subject: Subject): Promise<ReadResult>
  isAsking(subject: Subject): boolean
}

type SingleFlightOptions<Subject> = {
  readonly source: Pick<DueSource<Subject>, 'again' | 'site'> & {
    ask(subject: Subject): Promise<ReadOutcome>
    askPlanned(subject: Subject): Promise<ReadOutcome>
    key(subject: Subject): string
  }
  readonly budget: ReadBudget
  readonly onRead: (outcome: ReadOutcome | 'failed') => void
}

/** How often somebody's read is made again because a webhook came in while it was under way. */
const MAX_SUPERSEDED = 3

export function createSingleFlightReader<Subject>({
  source,
  budget,
  onRead,
}: SingleFlightOptions<Subject>): SingleFlightReader<Subject> {
  /** By key. */
  const underWay = new Map<string, Promise<Attempt>>()

  const askInTurn = async (subject: Subject, turn: Turn, how: 'ask' | 'askPlanned'): Promise<Attempt> => {
    try {
      const outcome = await source[how](subject)
      onRead(outcome)
      return { result: { kind: 'read', outcome }, trouble: turn.end(null) }
    } catch (error) {
      onRead('failed')
      return { result: { kind: 'failed', error }, trouble: turn.end(error) }
    } finally {
      underWay.delete(source.key(subject))
    }
  }

  const begin = (subject: Subject, turn: Turn, how: 'ask' | 'askPlanned'): Promise<Attempt> => {
    const asking = askInTurn(subject, turn, how)
    underWay.set(source.key(subject), asking)
    return asking
  }

  const askForPerson = async (subject: Subject): Promise<ReadResult> => {
    const joined = underWay.get(source.key(subject))
    if (joined !== undefined) return (await joined).result
    let turn: Turn
    try {
      turn = await budget.turn(source.site(subject), 'person')
    } catch (error) {
      return { kind: 'failed', error }
    }
    // While the turn was waited for, somebody else may have had theirs.
    const other = underWay.get(source.key(subject))
    if (other !== undefined) turn.cancel()
    return (await (other ?? begin(subject, turn, 'ask'))).result
  }

  return {
    ask: (subject, turn) => begin(subject, turn, 'askPlanned'),
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

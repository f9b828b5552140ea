import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Connection } from '../../../client/index.ts'
import { keep, readKept, REFUSED, type Session } from '../session/session.ts'
import { followEvents } from './follow-events.ts'
import {
  EMPTY_FEED,
  stateFrom,
  withMore,
  type FeedEvent,
  type FeedState,
  createLogChanges,
  type LogChanges,
} from './log-changes.ts'

/** The event stream, which continues while other views are shown. */
export type LiveFeed = {
  readonly connection: Connection
  /** Tells when the stream brings events, and when it was interrupted or connected anew. */
  readonly changes: LogChanges
  /** The events to show, oldest first. */
  readonly shown: readonly FeedEvent[]
  readonly isPaused: boolean
  /** Number of events since the feed was paused. */
  readonly held: number
  /** Whether events are missing because the log did not reach back to the end of this list. */
  readonly hasGap: boolean
  /** Why the stream cannot continue; null while it runs. */
  readonly problem: string | null
  /** Reconnects after the stream ended with an error. */
  readonly tryAgain: () => void
  readonly pause: () => void
  readonly goOn: () => void
  /** Discards the events and continues after them. */
  readonly clear: () => void
}

const NAME = 'feed'
/** Events within this many milliseconds are rendered together. */
const DRAW_EVERY_MS = 150
/**
 * Minimum interval between two writes of the feed to session storage, in milliseconds; it is also written when the page is
 * left.
 */
const KEEP_EVERY_MS = 2_000

/** Follows the events of a session; after a reload it continues at the last event. Null follows nothing. */
export function useFeed(session: Session | null): LiveFeed {
  const [state, setState] = useState(() => stateFrom(readKept(NAME)))
  const [connection, setConnection] = useState<Connection>('connecting')
  const [paused, setPaused] = useState<FeedState | null>(null)
  const [hasGap, setGap] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const [turn, setTurn] = useState(0)
  const now = useRef(state)
  const changes = useMemo(createLogChanges, [])

  useEffect(() => {
    if (session === null) return undefined
    const keeper = keepRegularly(() => now.current)
    const take = (events: readonly FeedEvent[], cursor: string) => {
      now.current = withMore(now.current, events, cursor)
      keeper.changed()
      setState(now.current)
      if (events.length > 0) changes.tell(events)
    }
    const batches = inBatches(take)
    const stop = followEvents(session, now.current.cursor, {
      onConnection: (next) => {
        setConnection(next)
        changes.tell(null)
      },
      onNewest: take,
      onItem: batches.add,
      onGap: () => setGap(true),
      onEnd: ({ code, message }) => {
        setConnection('closed')
        if (code === 'UNAUTHENTICATED') session.signOut(REFUSED)
        else setProblem(`${message} (${code})`)
      },
    })
    const leave = () => {
      batches.flush()
      keeper.flush()
    }
    window.addEventListener('pagehide', leave)
    return () => {
      window.removeEventListener('pagehide', leave)
      stop()
      batches.flush()
      keeper.stop()
    }
  }, [session, turn])

  return {
    connection,
    changes,
    shown: (paused ?? state).events,
    isPaused: paused !== null,
    held: paused === null ? 0 : newerThan(paused, state),
    hasGap,
    problem,
    tryAgain: () => {
      setProblem(null)
      setTurn(turn + 1)
    },
    pause: () => setPaused(state),
    goOn: () => setPaused(null),
    clear: () => {
      now.current = { ...EMPTY_FEED, cursor: now.current.cursor }
      keep(NAME, now.current)
      setState(now.current)
      setPaused((last) => (last === null ? null : now.current))
      setGap(false)
    },
  }
}

function newerThan(paused: FeedState, { events }: FeedState): number {
  const last = paused.events.at(-1)?.id
  return last === undefined ? events.length : events.length - 1 - events.findLastIndex(({ id }) => id === last)
}

type Batches = { readonly add: (event: FeedEvent | null, cursor: string) => void; readonly flush: () => void }

function inBatches(take: (events: readonly FeedEvent[], cursor: string) => void): Batches {
  let waiting: FeedEvent[] = []
  let last: string | null = null
  let timer = 0
  const flush = () => {
    window.clearTimeout(timer)
    timer = 0
    if (last === null) return
    const [events, cursor] = [waiting, last]
    waiting = []
    last = null
    take(events, cursor)
  }
  return {
    add: (event, cursor) => {
      if (event !== null) waiting.push(event)
      last = cursor
      if (timer === 0) timer = window.setTimeout(flush, DRAW_EVERY_MS)
    },
    flush,
  }
}

function keepRegularly(current: () => FeedState) {
  let timer = 0
  const flush = () => {
    window.clearTimeout(timer)
    timer = 0
    keep(NAME, current())
  }
  return {
    changed: () => {
      if (timer === 0) timer = window.setTimeout(flush, KEEP_EVERY_MS)
    },
    flush,
    stop: () => window.clearTimeout(timer),
  }
}

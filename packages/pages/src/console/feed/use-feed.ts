import {
  type Connection,
  ask,
  PaymentsClientError,
  watchPaymentEvents,
  type PaymentUpdate,
} from 'payments-subgraph-client'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type FeedEventPartsFragment, NewestEventsDocument, type PaymentEventKindInput } from '../generated/graphql.ts'
import { createLogChanges, type FeedEvent, type LogChanges } from '../pieces/log-changes.ts'
import { keepInSession, readKept, REFUSED, type Session, endpointOf } from '../session/session.ts'
import { type FeedState, stateFrom, withMore } from './feed-state.ts'

/** The event stream, which continues while other views are shown. */
export type LiveFeed = {
  readonly connection: Connection
  /** Tells when the stream brings events, and when it was interrupted or connected anew. */
  readonly changes: LogChanges
  /** The events to show, oldest first. */
  readonly shown: readonly FeedEvent[]
  /** When the user paused the feed; null while it is not paused. */
  readonly pausedAt: string | null
  /** Number of newer events that are not shown, because the feed is paused or held. */
  readonly waiting: number
  /** Whether events are missing because the log did not reach back to the end of this list. */
  readonly hasGap: boolean
  /** Why the stream cannot continue; null while it runs. */
  readonly problem: string | null
  /** Reconnects after the stream ended with an error. */
  readonly tryAgain: () => void
  readonly pause: () => void
  readonly goOn: () => void
  /** Lets newer events wait, because somebody reads the list. */
  readonly hold: () => void
  /** Ends the holding, unless events wait or the feed is paused. */
  readonly release: () => void
  /** Shows the events that wait. */
  readonly show: () => void
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
  const [held, setHeld] = useState<FeedState | null>(null)
  const [pausedAt, setPausedAt] = useState<string | null>(null)
  const [hasGap, setGap] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const [turn, setTurn] = useState(0)
  const now = useRef(state)
  const changes = useMemo(createLogChanges, [])

  // A layout effect, which ends with the view: a page that is left after signing out stores nothing of the session.
  useLayoutEffect(() => {
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
    shown: (held ?? state).events,
    pausedAt,
    waiting: held === null ? 0 : newerThan(held, state),
    hasGap,
    problem,
    tryAgain: () => {
      setProblem(null)
      setTurn(turn + 1)
    },
    pause: () => {
      setPausedAt(new Date().toISOString())
      setHeld((last) => last ?? state)
    },
    goOn: () => {
      setPausedAt(null)
      setHeld(null)
    },
    hold: () => setHeld((last) => last ?? now.current),
    release: () => setHeld((last) => (pausedAt === null && last === now.current ? null : last)),
    show: () => setHeld(pausedAt === null ? null : now.current),
  }
}

function newerThan(held: FeedState, { events }: FeedState): number {
  const last = held.events.at(-1)?.id
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
    keepInSession(NAME, current())
  }
  return {
    changed: () => {
      if (timer === 0) timer = window.setTimeout(flush, KEEP_EVERY_MS)
    },
    flush,
    stop: () => window.clearTimeout(timer),
  }
}

export type Listener = {
  readonly onConnection: (connection: Connection) => void
  /** Called once with the newest events, if the stream has no cursor to start after, and the cursor behind them. */
  readonly onNewest: (events: readonly FeedEvent[], cursor: string) => void
  /** Called for every item with its cursor; the event is null on an item without one. */
  readonly onItem: (event: FeedEvent | null, cursor: string) => void
  /** Called when the log does not reach back to the cursor: the stream continues from now. */
  readonly onGap: () => void
  /** Called when the stream cannot continue. */
  readonly onEnd: (error: PaymentsClientError) => void
}

/** How many events a feed begins with: the maximum of a page. */
const NEWEST = 100
/** Milliseconds between two attempts to read the newest events. */
const RETRY_MS = 2_000

/** Follows every event after a cursor, by default after the newest ones, which come first. Returns the function that stops it. */
function followEvents(session: Session, after: string | null, listener: Listener): () => void {
  const control = new AbortController()
  const { signal } = control
  const nameOf = createNaming(session, signal)
  const follow = async () => {
    const start = after ?? (await takeNewest(session, listener, signal))
    const updates = watchPaymentEvents(null, {
      ...endpointOf(session),
      ...(start === null ? {} : { after: start }),
      signal,
      onConnection: listener.onConnection,
    })
    for await (const update of updates) {
      if (update.kind === 'SNAPSHOT') listener.onGap()
      const event = feedEventOf(update)
      listener.onItem(event && (await nameOf(event)), update.cursor)
    }
  }
  follow().catch((error: unknown) => {
    if (signal.aborted) return
    if (error instanceof PaymentsClientError) listener.onEnd(error)
    else throw error
  })
  return () => control.abort()
}

/** Passes the newest events on, and returns the cursor after them; null for an empty log. Retries until there is an answer. */
async function takeNewest(session: Session, listener: Listener, signal: AbortSignal): Promise<string | null> {
  for (;;) {
    try {
      const { paymentEvents } = await ask(NewestEventsDocument, { last: NEWEST }, endpointOf(session), { signal })
      const cursor = paymentEvents?.pageInfo.endCursor ?? null
      if (cursor !== null) listener.onNewest((paymentEvents?.nodes ?? []).map(toFeedEvent), cursor)
      return cursor
    } catch (error) {
      if (!(error instanceof PaymentsClientError && error.retryable)) throw error
      listener.onConnection('offline')
      await new Promise((resolve) => window.setTimeout(resolve, RETRY_MS))
      signal.throwIfAborted()
    }
  }
}

/** The kinds of events whose subject the stream does not name. */
const UNNAMED: PaymentEventKindInput[] = [
  'PAYOUT_CREATED',
  'PAYOUT_STATUS_CHANGED',
  'PAYOUT_DETAILS_CHANGED',
  'GATEWAY_PAYMENT_CREATED',
  'GATEWAY_PAYMENT_STATUS_CHANGED',
  'GATEWAY_PAYMENT_DETAILS_CHANGED',
]

/** Returns a function that adds the payout or gateway payment to an event of the stream; it reads the newest of them together. */
function createNaming(session: Session, signal: AbortSignal): (event: FeedEvent) => Promise<FeedEvent> {
  let named: ReadonlyMap<string, FeedEvent> = new Map()
  return async (event) => {
    if (!UNNAMED.some((kind) => kind === event.kind)) return event
    if (!named.has(event.id)) {
      const variables = { last: NEWEST, filter: { kinds: UNNAMED } }
      // Without an answer the event is shown by its kind.
      const answer = await ask(NewestEventsDocument, variables, endpointOf(session), { signal }).catch(() => null)
      named = new Map(answer?.paymentEvents?.nodes.map((node) => [node.id, toFeedEvent(node)]))
    }
    return named.get(event.id) ?? event
  }
}

function toFeedEvent({
  payment,
  link,
  agreement,
  payout,
  gatewayPayment,
  ...event
}: FeedEventPartsFragment): FeedEvent {
  const names = [link?.reference, agreement?.clientTransactionId, payout?.reference, gatewayPayment?.reference]
  return {
    ...event,
    paymentId: payment?.id ?? null,
    linkId: link?.id ?? null,
    agreementId: agreement?.id ?? null,
    payoutId: payout?.id ?? null,
    gatewayPaymentId: gatewayPayment?.id ?? null,
    reference: names.find((name) => name != null) ?? null,
    amount: payment?.amount ?? link?.requestedAmount ?? payout?.totalAmount ?? gatewayPayment?.amount ?? null,
  }
}

function feedEventOf({ event, payment, link, agreement }: PaymentUpdate): FeedEvent | null {
  if (event === null) return null
  const { id, kind, sequence, receivedAt, source, fromStatus, toStatus } = event
  const parts = { id, kind, sequence, receivedAt, source, fromStatus, toStatus }
  return toFeedEvent({ ...parts, payment, link, agreement: agreement ?? null, payout: null, gatewayPayment: null })
}

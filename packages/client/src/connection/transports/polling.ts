import { asClientError, PaymentsClientError } from '../../client-errors.ts'
import { sendOnce } from '../../request/ask.ts'
import type { AskOne, Page, State, StreamItem } from '../../updates.ts'
import { endBy, isOfGraph, type ConnectionEnd, type ConnectionRequest, type OpenConnection } from '../connection.ts'
import { joined } from '../item-reader.ts'

const NOTHING = { event: null, link: null, payment: null } as const

/** Builds a stream's items from queries, with the same cursors, so that a stream can continue from them. */
export const openPolling: OpenConnection = (request, events) => {
  const control = new AbortController()
  let over = false
  let isOpen = false
  let wakeUp = () => {}

  const close = () => {
    over = true
    control.abort()
    wakeUp()
  }
  const pause = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, request.pollMs)
      wakeUp = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  const run = async () => {
    const round = createRounds(request, control.signal)
    while (!over) {
      const items = await round()
      if (over) return
      if (!isOpen) events.opened()
      isOpen = true
      for (const item of items) if (!over) events.item(item)
      if (!over) await pause()
    }
  }
  run().catch((reason: unknown) => {
    if (over) return
    close()
    events.ended(endOf(asClientError(reason), isOpen))
  })
  return { close, check: () => wakeUp() }
}

/** Returns the function that polls once and returns the items since the last poll. */
function createRounds({ subject, endpoint, token, after, held }: ConnectionRequest, signal: AbortSignal) {
  const { poll } = subject
  const ask: AskOne = (document, variables) => sendOnce(document, variables, { endpoint, token, signal })
  /** That of the last item, and where the log is read on: behind events that the filter leaves out. */
  let cursor = after
  let place = after
  let state = held
  let caughtUp = false

  /** Moves behind the page after a cursor, which may be empty before the end of the log. Returns whether another one follows. */
  const goOn = ({ endCursor, hasNextPage }: Page, from: string | null): boolean => {
    place = endCursor ?? place
    return hasNextPage && place !== from
  }

  const first = async (): Promise<StreamItem[]> => {
    if (poll.now === null) throw new PaymentsClientError('UNSUPPORTED', 'Without a cursor there is nothing to poll.')
    // The state is read after the end of the log, so that no event lies between them.
    for (let from = place; goOn(required(await poll.since(ask, from)), from); from = place);
    cursor = place
    state = required(await poll.now(ask))
    caughtUp = true
    const at = { cursor: cursor ?? '', previousCursor: null }
    return [
      { ...NOTHING, ...state, ...at, kind: 'SNAPSHOT' },
      { ...NOTHING, ...at, kind: 'CAUGHT_UP' },
    ]
  }

  const next = async (): Promise<StreamItem[]> => {
    const items: StreamItem[] = []
    for (;;) {
      const from = place
      const page = required(await poll.since(ask, from))
      for (const { link = null, payment = null, agreement = null, payout = null, ...event } of page.events) {
        items.push({
          kind: 'EVENT',
          cursor: event.cursor,
          previousCursor: cursor,
          event,
          link,
          payment,
          agreement,
          payout,
        })
        cursor = event.cursor
        state = joined(state, { link, payment, agreement, payout })
      }
      if (goOn(page, from)) continue
      if (items.length === 0 && poll.now !== null) {
        if (state !== null && hasChanged(state, page.state))
          items.push({ ...NOTHING, ...page.state, kind: 'SNAPSHOT', cursor: cursor ?? '', previousCursor: cursor })
        state = page.state
      }
      if (!caughtUp) {
        items.push({ ...NOTHING, kind: 'CAUGHT_UP', cursor: place ?? '', previousCursor: cursor })
        cursor = place
        caughtUp = true
      }
      return items
    }
  }
  return async () => {
    try {
      return await (cursor === null ? first() : next())
    } catch (error) {
      if (!isForeignCursor(error)) throw error
      return [{ ...NOTHING, kind: 'RESYNC_REQUIRED' as const, cursor: '', previousCursor: null }]
    }
  }
}

function hasChanged(before: State, now: State): boolean {
  // The state that was read is older than the last delivered one.
  if (isOlder(before.payment, now.payment) || isOlder(before.agreement, now.agreement)) return false
  if (isOlder(before.payout, now.payout)) return false
  return textOf(before) !== textOf(now)
}

type Versioned = { readonly id: string; readonly version: number | null } | null | undefined

function isOlder(was: Versioned, is: Versioned): boolean {
  if (was === null || was === undefined) return false
  return is === null || is === undefined || (is.id === was.id && (is.version ?? 0) < (was.version ?? 0))
}

/** The state as text, without the server time. */
function textOf({ link, payment, agreement = null, payout = null }: State): string {
  return JSON.stringify([link === null ? null : { ...link, serverTime: null }, payment, agreement, payout])
}

function required<Value>(value: Value | null): Value {
  if (value !== null) return value
  throw new PaymentsClientError('NOT_FOUND', 'It is not there, or not for this caller.')
}

function isForeignCursor(error: unknown): boolean {
  if (!(error instanceof PaymentsClientError) || error.code !== 'BAD_USER_INPUT') return false
  return error.errors.some(({ extensions }) => extensions?.['argument'] === 'after')
}

function endOf(error: PaymentsClientError, isOpen: boolean): ConnectionEnd {
  return isOfGraph(error) ? endBy(error) : { kind: isOpen ? 'lost' : 'unopened', error }
}

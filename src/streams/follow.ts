import type { PaymentEvent } from '../domain/events/payment-event.ts'
import type { SliceScheduler } from '../lib/slice-scheduler.ts'
import type { EventFilter, EventLog } from '../store/port.ts'
import type { StreamItem, StreamStart } from './stream-item.ts'
import type { Deadline, Deadlines, StreamAccount, StreamMember, StreamRegistry } from './stream-registry.ts'
import type { Tail, Waiting } from './tail.ts'

/** Dependencies that all streams of a process share. */
export type FollowServices = {
  readonly store: { readonly log: Pick<EventLog, 'head' | 'horizon' | 'read' | 'onBranch'> }
  readonly tail: Tail
  readonly scheduler: SliceScheduler
  readonly deadlines: Deadlines
  readonly streams: StreamRegistry
  readonly clock: () => Date
}

export type FollowOptions = {
  /** The stream to follow; null for the whole log. */
  readonly streamId: string | null
  /** Further conditions on the events of the whole log. */
  readonly matches?: (event: PaymentEvent) => boolean
  readonly filter?: EventFilter
  readonly start: StreamStart
  /** When the permission to follow expires, in milliseconds since the epoch. */
  readonly endsAt: number
  readonly account: StreamAccount
}

/** Why a stream has ended. */
export type StreamEnd =
  | { readonly kind: 'over' }
  /** A newer stream of its payer replaced it. */
  | { readonly kind: 'replaced' }
  | { readonly kind: 'failed'; readonly error: unknown }

/** Receives the items of a stream. Neither method throws. */
export type ItemReader = {
  take(item: StreamItem): void
  end(reason: StreamEnd): void
}

/** One stream; its reader pulls each item. */
export type Follower = {
  /** Passes the next item or the end to the reader, synchronously or later. The reader must not call it again before that. */
  pull(reader: ItemReader): void
  /** Ends the stream at once, also while its reader waits for an item. */
  stop(): void
}

const PAGE = 200

const LOST: StreamStart = { kind: 'nowhere', reason: 'The event of the last cursor was lost in a failover.' }

const OVER: StreamEnd = { kind: 'over' }

/**
 * Opens a stream: snapshot or replay, then CAUGHT_UP, then live events. A stream is a position and a filter, not a queue. It looks for
 * the next item only after the reader has taken the last one, so a slow reader uses no memory and delays no other. Replay and live
 * events are reads of the same log after the same position, so there is no gap and no duplicate between them. Returns null if the
 * caller has as many streams as allowed.
 */
export function follow(services: FollowServices, options: FollowOptions): Follower | null {
  const stream = new LogStream(services, options)
  if (!services.streams.open(stream)) return null
  stream.begin()
  return stream
}

class LogStream implements Follower, Waiting, Deadline, StreamMember {
  readonly streamId: string | null
  readonly payer: string | null
  readonly caller: string | null
  readonly endsAt: number
  waitIndex = -1
  readonly #services: FollowServices
  readonly #filter: EventFilter | undefined
  readonly #matches: ((event: PaymentEvent) => boolean) | undefined
  /** Null once the stream has begun. */
  #start: StreamStart | null
  /** The end of the log when the stream was opened: later events are live. */
  #head = 0
  #position = 0
  #previous: number | null = null
  #isCaughtUp = false
  /** Events that were read from the store and not yet taken. */
  #page: readonly PaymentEvent[] | null = null
  #pageIndex = 0
  /** Set while the reader waits for an item. */
  #reader: ItemReader | null = null
  #ended: StreamEnd | null = null
  /** How often the log has branched since the stream was opened. */
  #branches = 0
  #endBranches = () => {}

  constructor(services: FollowServices, { streamId, matches, filter, start, endsAt, account }: FollowOptions) {
    this.#services = services
    this.streamId = streamId
    this.#matches = matches
    this.#filter = streamId === null ? filter : undefined
    this.#start = start
    this.endsAt = endsAt
    this.payer = account.payer
    this.caller = account.caller
  }

  begin(): void {
    this.#services.tail.open(this.streamId)
    // The deadline also ends a stream that waits: it must not outlive its permission.
    this.#services.deadlines.add(this)
    this.#endBranches = this.#services.store.log.onBranch((last) => this.#branch(last))
  }

  pull(reader: ItemReader): void {
    this.#reader = reader
    if (this.#ended !== null) this.#tellEnd()
    else if (this.#isUpToDate()) this.#services.tail.wait(this)
    else this.#resume()
  }

  stop(reason: StreamEnd = OVER): void {
    if (this.#ended !== null) return
    this.#ended = reason
    this.#start = null
    this.#page = null
    const { tail, deadlines, streams } = this.#services
    this.#endBranches()
    deadlines.remove(this)
    tail.cancel(this)
    tail.leave(this.streamId)
    streams.leave(this)
    this.#tellEnd()
  }

  onEnd(): void {
    this.stop()
  }

  replace(): void {
    this.stop({ kind: 'replaced' })
  }

  isUpTo(position: number): void {
    this.#position = Math.max(this.#position, position)
  }

  run(): void {
    if (this.#reader === null) return
    try {
      this.#advance()
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Whether its next item is an event that the tail does not have yet. */
  #isUpToDate(): boolean {
    const { tail } = this.#services
    const hasRest = this.#start !== null || this.#page !== null || !this.#isCaughtUp
    return !hasRest && !tail.closed && this.#position >= tail.end
  }

  /** Each item is a unit of the scheduler, so that many streams do not block the event loop. */
  #resume(): void {
    if (this.#services.scheduler.admits()) this.run()
    else this.#services.scheduler.push(this)
  }

  #advance(): void {
    const { tail } = this.#services
    if (tail.closed || !this.#isAllowed()) return this.stop()
    if (this.#start !== null) return this.#begin(this.#start)
    const event = this.#peek()
    if (event === undefined) return this.#read()
    if (!this.#isCaughtUp && (event === null || event.position > this.#head)) return this.#catchUp()
    if (event === null) return tail.wait(this)
    this.#pageIndex += 1
    this.#give({ kind: 'EVENT', position: event.position, previous: this.#previous, event })
  }

  /** Continues on another branch of the log: after what the client has if that is in the log, and with RESYNC_REQUIRED if not. */
  #branch(last: number): void {
    this.#branches += 1
    this.#page = null
    if (this.#known() > last) {
      this.#start = LOST
      this.#services.tail.cancel(this)
      this.#services.scheduler.push(this)
    } else {
      this.#position = Math.min(this.#position, last)
      this.#head = Math.min(this.#head, last)
    }
  }

  /** Returns the position that the client has, or begins with. */
  #known(): number {
    if (this.#start?.kind === 'snapshot') return this.#start.head
    if (this.#start?.kind === 'after') return this.#start.position
    return this.#previous ?? 0
  }

  #begin(start: StreamStart): void {
    if (start.kind === 'snapshot') {
      const { kind: _kind, head, ...state } = start
      this.#beginAt(head, head)
      this.#give({ kind: 'SNAPSHOT', position: head, previous: null, ...state })
    } else if (start.kind === 'nowhere') this.#giveLast(0, start.reason)
    else
      this.#await(this.#services.store.log.head(), (head) => {
        if (start.kind === 'now') this.#beginAt(head, head)
        else if (start.position > head) this.#giveLast(head, 'The cursor lies beyond the log.')
        else {
          this.#beginAt(start.position, head)
          this.#previous = start.position
        }
      })
  }

  #beginAt(position: number, head: number): void {
    this.#start = null
    this.#position = position
    this.#head = head
  }

  /**
   * Returns the next event from memory if the tail holds all events after the position; null if there is none. Undefined if the store
   * must be read: the tail may lag behind the head of the log, and an event that it does not hold yet must not be skipped.
   */
  #peek(): PaymentEvent | null | undefined {
    const paged = this.#page?.[this.#pageIndex]
    if (paged !== undefined) return paged
    this.#page = null
    const { tail } = this.#services
    if (this.#position < tail.start || (this.#position < this.#head && tail.end < this.#head)) return undefined
    const event = tail.next(this.#position, this.streamId, this.#matches)
    if (event === null) this.#position = Math.max(this.#position, tail.end)
    return event
  }

  #read(): void {
    const { store, tail } = this.#services
    const filter = this.streamId === null ? this.#filter : { streamIds: [this.streamId] }
    // The store has at least the events of the tail, and all up to the head.
    const known = Math.max(tail.end, this.#head)
    const readPage = async () => {
      const page = await store.log.read(this.#position, PAGE, filter)
      // Queried after the page, so that it shows every pruning that the page may lack events of.
      return { ...page, horizon: await store.log.horizon() }
    }
    this.#await(readPage(), ({ events, next, horizon }) => {
      if (this.#position < horizon) return this.#giveLast(this.#head, 'Events after the cursor are no longer kept.')
      tail.states.expect(events)
      this.#page = events
      this.#pageIndex = 0
      if (events.length === 0) this.#position = Math.max(this.#position, next ?? known)
    })
  }

  #catchUp(): void {
    this.#position = Math.max(this.#position, this.#head)
    this.#isCaughtUp = true
    this.#give({ kind: 'CAUGHT_UP', position: this.#position, previous: this.#previous })
  }

  #give(item: StreamItem): void {
    const reader = this.#reader
    this.#reader = null
    this.#position = item.position
    this.#previous = item.position
    reader?.take(item)
  }

  /** Ends the stream with RESYNC_REQUIRED: the client has to read the state again. */
  #giveLast(position: number, reason: string): void {
    const reader = this.#reader
    this.#reader = null
    this.stop()
    reader?.take({ kind: 'RESYNC_REQUIRED', position, previous: null, reason })
  }

  #await<Result>(reading: Promise<Result>, use: (result: Result) => void): void {
    const branches = this.#branches
    const onResult = (result: Result) => {
      if (this.#ended !== null) return
      // What was read before the log branched may not be in it, and is read again.
      if (branches === this.#branches) use(result)
      if (this.#reader !== null) this.#resume()
    }
    reading.then(onResult, (error: unknown) => this.#fail(error))
  }

  #fail(error: unknown): void {
    this.stop({ kind: 'failed', error })
  }

  #tellEnd(): void {
    const reader = this.#reader
    const reason = this.#ended
    if (reader === null || reason === null) return
    this.#reader = null
    // Reported once.
    this.#ended = OVER
    reader.end(reason)
  }

  #isAllowed(): boolean {
    return this.#services.clock().getTime() < this.endsAt
  }
}

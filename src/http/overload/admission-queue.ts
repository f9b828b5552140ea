import { createDelayControl, type LoopClock } from './delay-control.ts'
import { createFairQueue, type FairQueue } from './fair-queue.ts'
import type { ClientKey } from './overload.ts'
import type { Scheduler, Source } from './scheduler.ts'

/** A request that is to be queued. */
export type Entry = {
  readonly client: ClientKey
  /** Bytes that it holds in memory while it is queued. */
  readonly bytes: number
  /** Begins it. The argument marks it as ended; call it once. */
  readonly start: (release: () => void) => void
  readonly refuse: () => void
  /** Whether it must be answered even in an overload. Called at most once, before a refusal. */
  readonly mustAnswer?: (() => Promise<boolean>) | undefined
}

/** Requests of one kind, with a limit of concurrent ones. */
export type AdmissionQueue = Source & {
  /**
   * Begins a request, now or later, or refuses it. Returns the function that removes it from the queue; null if it has begun.
   */
  enter(entry: Entry): (() => void) | null
  /** Whether the queue is full. */
  isFull(): boolean
  /**
   * Returns whether a request of this client that need not be answered would be refused on entry. If so, it has been counted as
   * refused and must not enter. Cheaper than entering.
   */
  refuses(client: ClientKey): boolean
  /** Observes the delay, and refuses requests that waited too long. Called in each turn of the event loop with queued requests. */
  observe(): void
  readonly size: number
  /** Whether refusals of several clients have gone on for several seconds. */
  isOverloaded(): boolean
}

export type AdmissionQueueOptions = {
  readonly clock: LoopClock
  readonly scheduler: () => Pick<Scheduler, 'mayBeginNow' | 'wake'>
  readonly maxInFlight: number
  /** Called with the `refuse` of each request that is refused. */
  readonly onRefused: (answer: () => void) => void
  /** Whether requests are refused because of delay. The length of the queue is bounded in any case. */
  readonly sheds: boolean
}

const MAX_WAITING = 4_096
const MAX_WAITING_BYTES = 32 * 1024 * 1024
/** Longest wait in milliseconds; by then most clients have timed out. */
const MAX_WAIT_MS = 10_000
/** Number of clients whose counters are kept. */
const MAX_COUNTERS = 1_024
/** A lasting overload: refusals for so long, with pauses no longer than this, in milliseconds. */
const LASTING_MS = 5_000
const PAUSE_MS = 2_000

type Waiting = Entry & {
  /** By the loop's clock. */
  readonly since: number
  /** It must be answered. */
  isProtected: boolean
}

/**
 * Creates the queue: one per client, served round robin, each of which may use half of the slots. The newest request of one client is
 * refused: of the client that holds more than half of the capacity, otherwise of the client with most requests, of which those without a
 * token count twice.
 */
export function createAdmissionQueue(options: AdmissionQueueOptions): AdmissionQueue {
  const { clock, scheduler, maxInFlight, sheds, onRefused } = options
  const waiting = createFairQueue<Waiting>(weightOf)
  const control = createDelayControl(clock.now)
  const overload = createLastingOverload()
  const inFlightOf = new Map<string, { count: number }>()
  const perClient = Math.ceil(maxInFlight / 2)
  let inFlight = 0
  let bytes = 0

  const mayBegin = (client: string) => inFlight < maxInFlight && (inFlightOf.get(client)?.count ?? 0) < perClient
  const counterOf = (client: string) => {
    const known = inFlightOf.get(client)
    if (known !== undefined) return known
    // Idle clients are removed only when there are many, because most send again soon.
    if (inFlightOf.size >= MAX_COUNTERS + 2 * inFlight)
      for (const [name, { count }] of inFlightOf) if (count === 0) inFlightOf.delete(name)
    const counter = { count: 0 }
    inFlightOf.set(client, counter)
    return counter
  }
  const begin = ({ client: { name }, start }: Entry) => {
    control.begun()
    inFlight += 1
    const counter = counterOf(name)
    counter.count += 1
    let ended = false
    start(() => {
      if (ended) return
      ended = true
      inFlight -= 1
      counter.count -= 1
      if (waiting.size > 0) scheduler().wake()
    })
  }
  const put = (entry: Waiting) => {
    waiting.push(entry.client.name, entry)
    bytes += entry.bytes
    scheduler().wake()
  }
  const take = (entry: Waiting) => {
    if (!waiting.remove(entry.client.name, entry)) return false
    bytes -= entry.bytes
    return true
  }
  const observe = () => {
    const oldest = waiting.oldest()
    const ageMs = oldest === null ? 0 : clock.now() - oldest.since
    control.observe(ageMs)
    if (oldest !== null && ageMs > MAX_WAIT_MS) refuse(oldest)
  }
  const limit = () => (sheds ? Math.min(MAX_WAITING, control.limit()) : MAX_WAITING)
  const refuse = (entry: Waiting) => {
    if (!take(entry)) return
    if (entry.mustAnswer === undefined || entry.isProtected) return onRefused(entry.refuse)
    const decide = (must: boolean) => {
      entry.isProtected = must
      return must ? put(entry) : onRefused(entry.refuse)
    }
    entry.mustAnswer().then(decide, () => onRefused(entry.refuse))
  }
  const refuseOne = () => {
    const victim = bytes > MAX_WAITING_BYTES ? heaviest(waiting) : busiest(limit())
    if (victim !== null) refuse(victim)
  }
  const busiest = (most: number): Waiting | null => {
    const dominant = waiting.highest('count')
    if (dominant.length > most / 2) return newestOf(dominant)
    overload.refused()
    return newestOf(waiting.highest('weight'))
  }
  const isBusiest = ({ name, weight }: ClientKey, most: number): boolean => {
    const count = waiting.countOf(name) + 1
    if (count > most / 2) return true
    if (waiting.highest('count').length > most / 2) return false
    const heaviestFlow = waiting.highest('weight')
    if (count * weight < heaviestFlow.length * weightOf(heaviestFlow)) return false
    overload.refused()
    return true
  }

  return {
    get size() {
      return waiting.size
    },
    enter(entry) {
      control.arrived()
      // With an empty queue there is no delay to observe, and reading the clock is a system call.
      if (waiting.size === 0 && mayBegin(entry.client.name) && scheduler().mayBeginNow()) {
        begin(entry)
        return null
      }
      observe()
      const waits = { ...entry, since: clock.now(), isProtected: false }
      put(waits)
      if (bytes > MAX_WAITING_BYTES || waiting.size > limit()) refuseOne()
      return () => void take(waits)
    },
    isFull: () => waiting.size >= limit(),
    refuses(client) {
      const most = limit()
      if (waiting.size < most || !isBusiest(client, most)) return false
      control.arrived()
      return true
    },
    hasNext: () => waiting.size > 0 && inFlight < maxInFlight && waiting.hasNext(mayBegin),
    beginNext() {
      const entry = waiting.next(mayBegin)
      if (entry === null) return
      bytes -= entry.bytes
      begin(entry)
    },
    observe,
    isOverloaded: overload.lasts,
  }
}

/** Weight of one of these requests; 0 if all of them must be answered. */
function weightOf(items: readonly Waiting[]): number {
  return newestOf(items)?.client.weight ?? 0
}

function newestOf(items: readonly Waiting[]): Waiting | null {
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const item = items[index]
    if (item?.isProtected === false) return item
  }
  return null
}

function heaviest(waiting: FairQueue<Waiting>): Waiting | null {
  const bytesOf = (items: readonly Waiting[]) => items.reduce((sum, { bytes }) => sum + bytes, 0)
  let most: readonly Waiting[] = []
  for (const items of waiting.flows()) if (bytesOf(items) >= bytesOf(most)) most = items
  return newestOf(most)
}

/** Tracks whether refusals that no single client caused continue. */
function createLastingOverload() {
  let since = 0
  let last = -Infinity
  return {
    refused() {
      const now = performance.now()
      if (now - last > PAUSE_MS) since = now
      last = now
    },
    lasts: () => performance.now() - last <= PAUSE_MS && last - since >= LASTING_MS,
  }
}

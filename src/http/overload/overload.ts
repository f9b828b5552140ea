import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Caller } from '../../access/caller.ts'
import {
  createLoopClock,
  createDelayControl,
  type LoopClock,
  createScheduler,
  type Scheduler,
  type Source,
} from './delay-control.ts'
import { createFairQueue, type FairQueue, type Flow } from './fair-queue.ts'

/** The queues: queries, mutations and streams over sockets each have one. */
export type QueueName = 'queries' | 'commands' | 'streams'

/** Overload protection. */
export type Overload = {
  /** Begins a request, now or later, or refuses it. Returns the function that removes it from the queue; null if it has begun. */
  enter(queue: QueueName, entry: Entry): (() => void) | null
  /** Whether the queue is full, so that `refuse` may refuse a request. */
  isFull(queue: QueueName): boolean
  /**
   * Refuses a request that need not be answered, before its body is read, if it would be refused on entry. Returns whether it did.
   */
  refuse(queue: QueueName, client: ClientKey, refuse: () => void): boolean
  /** Whether refusals of several clients have gone on for several seconds; readiness fails then. */
  isOverloaded(): boolean
}

type OverloadOptions = {
  /** Limit of concurrent queries. */
  readonly maxInFlight: number
  /** Called for each request that is refused. */
  readonly onRefused: () => void
}

/**
 * Share of mutations: the payments API takes 20 concurrent calls per site, and a command that waits for it has begun, while a queued
 * one can still be refused with certainty.
 */
const QUERIES_PER_COMMAND = 4
/** Milliseconds between two checks of queues that wait for a slot. */
const OBSERVE_MS = 250

/**
 * Detects overload by queueing delay alone, and refuses by client. The queues are served round robin, so that mutations do not wait
 * behind queries, and nothing waits behind many sockets that reconnect at once.
 */
export function createOverload(app: FastifyInstance, { maxInFlight, onRefused }: OverloadOptions): Overload {
  const clock = createLoopClock()
  const refuse = (answer: () => void) => {
    onRefused()
    scheduler.refuse(answer)
  }
  const options = { clock, scheduler: () => scheduler, maxInFlight, onRefused: refuse }
  const queues: Readonly<Record<QueueName, AdmissionQueue>> = {
    queries: createAdmissionQueue({ ...options, sheds: true }),
    commands: createAdmissionQueue({
      ...options,
      maxInFlight: Math.ceil(maxInFlight / QUERIES_PER_COMMAND),
      sheds: true,
    }),
    // For a client without another way to resume, an error would end its stream.
    streams: createAdmissionQueue({ ...options, sheds: false }),
  }
  const all = Object.values(queues)
  const onTurn = () => {
    clock.tick()
    for (const queue of all) if (queue.size > 0) queue.observe()
  }
  const scheduler = createScheduler(app.server, () => all, onTurn)
  const observing = setInterval(onTurn, OBSERVE_MS).unref()
  app.addHook('onClose', async () => clearInterval(observing))
  return {
    enter: (name, entry) => queues[name].enter(entry),
    isFull: (name) => queues[name].isFull(),
    refuse(name, client, answer) {
      if (!queues[name].refuses(client)) return false
      refuse(answer)
      return true
    },
    isOverloaded: () => queues.queries.isOverloaded() || queues.commands.isOverloaded(),
  }
}

/** Clients with a token, and those without one. */
const GROUPS = ['known', 'anonymous'] as const
type Group = (typeof GROUPS)[number]

/** A client, and whether it has a token. */
type ClientKey = Flow<Group>

/** Keys by caller, because each request needs one. */
const keys = new WeakMap<Caller, ClientKey>()

/** Returns the key of a caller: by the identity of its token, otherwise by its peer's name. */
export function clientKey(caller: Caller, peerName: () => string): ClientKey {
  const group = caller.kind === 'client' ? 'known' : 'anonymous'
  if (caller.kind === 'anonymous' || caller.identity === null) return { name: peerName(), group }
  const known = keys.get(caller)
  if (known !== undefined) return known
  const key: ClientKey = { name: `caller ${caller.identity}`, group }
  keys.set(caller, key)
  return key
}

/**
 * Returns the name of a peer: its address, or, if `address` is null because it is shared (a proxy, a router, this machine), its
 * connection, identified by address and port.
 */
export function peerKey(address: string | null, { socket }: IncomingMessage): string {
  return address === null ? `connection ${socket.remoteAddress ?? ''} ${socket.remotePort ?? ''}` : `address ${address}`
}

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
type AdmissionQueue = Source & {
  /** As in `Overload`. */
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
 * Creates the queue: one per client, each of which may use half of the slots. Those with a token and those without one are served in turn,
 * and the clients of each round robin, so that a crowd of addresses takes at most half of the time from those with a token. The newest
 * request of one client is refused: of the client that holds more than half of the capacity, otherwise of the one with most requests among those without a token,
 * unless a client with one has as many as all of these together.
 */
export function createAdmissionQueue(options: AdmissionQueueOptions): AdmissionQueue {
  const { clock, scheduler, maxInFlight, sheds, onRefused } = options
  const waiting = createFairQueue<Waiting, Group>(GROUPS, (items) => newestOf(items) !== null)
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
    waiting.push(entry.client, entry)
    bytes += entry.bytes
    scheduler().wake()
  }
  const take = (entry: Waiting) => {
    if (!waiting.remove(entry.client, entry)) return false
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
    const dominant = waiting.longest()
    if (dominant.length > most / 2) return newestOf(dominant)
    overload.refused()
    const known = waiting.longestOf('known')
    return newestOf(waiting.sizeOf('anonymous') > known.length ? waiting.longestOf('anonymous') : known)
  }
  const isBusiest = (client: ClientKey, most: number): boolean => {
    const own = waiting.countOf(client) + 1
    if (own > most / 2) return true
    if (waiting.longest().length > most / 2) return false
    const known = waiting.longestOf('known').length
    const anonymous = waiting.sizeOf('anonymous')
    const isRefused =
      client.group === 'known'
        ? own >= Math.max(known, anonymous)
        : anonymous + 1 > known && own >= waiting.longestOf('anonymous').length
    if (isRefused) overload.refused()
    return isRefused
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

function newestOf(items: readonly Waiting[]): Waiting | null {
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const item = items[index]
    if (item?.isProtected === false) return item
  }
  return null
}

function heaviest(waiting: FairQueue<Waiting, Group>): Waiting | null {
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

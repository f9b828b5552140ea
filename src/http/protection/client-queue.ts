import type { Piece, SliceScheduler } from '../../lib/slice-scheduler.ts'
import { createDelayControl, TICK_MS } from './delay-control.ts'

/** By whom a request is counted: the name is different for clients with a token and without one. */
export type ClientKey = { readonly name: string; readonly hasToken: boolean }

/** A request that waits for its turn. */
export type Entry = {
  readonly client: ClientKey
  /** Bytes that it holds in memory while it is queued. */
  readonly bytes: number
  /** Whether it is refused only if the queue cannot hold it, and not because of delay. */
  readonly isPatient: boolean
  /** Begins it. The argument marks it as ended; further calls have no effect. */
  readonly start: (end: () => void) => void
  readonly refuse: () => void
}

/** One queue for all clients, which serves them in turn, with a limit of concurrent requests. */
export type ClientQueue = {
  /** Begins a request, now or later, or refuses one: this or another. */
  enter(entry: Entry): void
  /** Ends a tick: observes the delay, and refuses requests that waited too long. */
  tick(): void
  /** Whether refusals of several clients have gone on for several seconds. */
  isOverloaded(): boolean
}

export type ClientQueueOptions = {
  readonly maxInFlight: number
  /** Begins what waits. Default: at once, when there is a place. */
  readonly scheduler?: Pick<SliceScheduler, 'admits' | 'push'>
  /** Called for each refusal. */
  readonly onRefused: () => void
}

export const MAX_WAITING = 4_096
export const MAX_WAITING_BYTES = 32 * 1024 * 1024
/** Longest wait in ticks; by then most clients have timed out. */
const MAX_WAIT = 10_000 / TICK_MS
/** A lasting overload: refusals for so long, with pauses no longer than this, in ticks. */
const LASTING = 5_000 / TICK_MS
const PAUSE = 2_000 / TICK_MS

const AT_ONCE: Pick<SliceScheduler, 'admits' | 'push'> = { admits: () => true, push: (piece) => piece.run() }

type Waiting = Entry & { readonly since: number }

/** How much waits: all requests, their bytes, and the requests that may be refused because of delay. */
type Load = { count: number; bytes: number; impatient: number }

/** A client with requests that wait or are in flight. */
type Client = {
  readonly name: string
  readonly ring: Ring
  readonly waiting: Waiting[]
  readonly load: Load
  inFlight: number
}

/** The clients with waiting requests, in order of service. */
type Ring = Map<string, Client>

/**
 * Creates a queue. Clients with a token and those without one are served in turn, and the clients of each in turn, so that a crowd of addresses
 * takes at most half of the time from those with a token; and a client may use half of the places. If too much waits, the newest request of
 * the client that has most is refused, among those with a token or those without one, whichever have more.
 */
export function createClientQueue({ maxInFlight, scheduler = AT_ONCE, onRefused }: ClientQueueOptions): ClientQueue {
  const clients = new Map<string, Client>()
  const known: Ring = new Map()
  const anonymous: Ring = new Map()
  let order = [known, anonymous]
  const control = createDelayControl()
  const perClient = Math.ceil(maxInFlight / 2)
  const load: Load = { count: 0, bytes: 0, impatient: 0 }
  let inFlight = 0
  let now = 0
  /** The last refusal that no single client caused, and the last tick before which there was none for some time. */
  let refusedAt = -Infinity
  let calmAt = 0

  const clientOf = ({ name, hasToken }: ClientKey): Client => {
    const earlier = clients.get(name)
    if (earlier !== undefined) return earlier
    const ring = hasToken ? known : anonymous
    const client = { name, ring, waiting: [], load: { count: 0, bytes: 0, impatient: 0 }, inFlight: 0 }
    clients.set(name, client)
    return client
  }
  const forgetIdle = (client: Client) => {
    if (client.waiting.length === 0 && client.inFlight === 0) clients.delete(client.name)
  }
  const count = (client: Client, { bytes, isPatient }: Entry, by: 1 | -1) => {
    for (const each of [load, client.load]) {
      each.count += by
      each.bytes += by * bytes
      if (!isPatient) each.impatient += by
    }
  }
  const remove = (client: Client, index: number): Waiting | null => {
    const [entry] = client.waiting.splice(index, 1)
    if (entry === undefined) return null
    count(client, entry, -1)
    if (client.waiting.length === 0) client.ring.delete(client.name)
    return entry
  }
  const begin = (client: Client, { start }: Entry) => {
    control.begun()
    inFlight += 1
    client.inFlight += 1
    let ended = false
    start(() => {
      if (ended) return
      ended = true
      inFlight -= 1
      client.inFlight -= 1
      forgetIdle(client)
      if (load.count > 0) scheduler.push(piece)
    })
  }
  const next = (): Client | null => {
    if (inFlight >= maxInFlight) return null
    for (const ring of order) for (const client of ring.values()) if (client.inFlight < perClient) return client
    return null
  }
  const piece: Piece = {
    run() {
      const client = next()
      const entry = client === null ? null : remove(client, 0)
      if (client === null || entry === null) return
      // It is the last in turn from now on, and so are those of its kind.
      if (client.ring.delete(client.name)) client.ring.set(client.name, client)
      if (order[0] === client.ring) order = order.toReversed()
      begin(client, entry)
    },
  }
  const refuse = (client: Client, index: number) => {
    const entry = remove(client, index)
    forgetIdle(client)
    onRefused()
    entry?.refuse()
  }
  const refuseNewest = (measure: keyof Load, limit: number) => {
    const client = largest([anonymous, known], measure)
    if (client === null) return
    if (client.load[measure] <= limit / 2) refusedAt = now
    const mayBe = ({ isPatient }: Entry) => measure !== 'impatient' || !isPatient
    refuse(client, client.waiting.findLastIndex(mayBe))
  }

  return {
    enter(entry) {
      control.arrived()
      const client = clientOf(entry.client)
      const hasPlace = inFlight < maxInFlight && client.inFlight < perClient
      if (load.count === 0 && hasPlace && scheduler.admits()) return begin(client, entry)
      client.waiting.push({ ...entry, since: now })
      client.ring.set(client.name, client)
      count(client, entry, 1)
      while (load.bytes > MAX_WAITING_BYTES) refuseNewest('bytes', MAX_WAITING_BYTES)
      if (load.count > MAX_WAITING) refuseNewest('count', MAX_WAITING)
      if (load.impatient > control.limit()) refuseNewest('impatient', control.limit())
      return scheduler.push(piece)
    },
    tick() {
      now += 1
      let oldest = now
      for (const client of [...known.values(), ...anonymous.values()]) {
        while (now - (client.waiting[0]?.since ?? now) > MAX_WAIT) refuse(client, 0)
        oldest = Math.min(oldest, client.waiting.find(({ isPatient }) => !isPatient)?.since ?? now)
      }
      control.tick(now - oldest)
      if (now - refusedAt > PAUSE) calmAt = now
    },
    isOverloaded: () => now - calmAt >= LASTING,
  }
}

/** Returns the client with most in the ring with most, among equals the last in turn; null if nothing waits. */
function largest(rings: readonly Ring[], measure: keyof Load): Client | null {
  let found: Client | null = null
  let most = 0
  for (const ring of rings) {
    let largestOfRing: Client | null = null
    let total = 0
    for (const client of ring.values()) {
      total += client.load[measure]
      if (client.load[measure] >= (largestOfRing?.load[measure] ?? 0)) largestOfRing = client
    }
    if (total > most) found = largestOfRing
    most = Math.max(most, total)
  }
  return found
}

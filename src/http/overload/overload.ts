import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Caller } from '../../access/caller.ts'
import { createAdmissionQueue, type AdmissionQueue, type Entry } from './admission-queue.ts'
import { createLoopClock } from './delay-control.ts'
import { createScheduler } from './scheduler.ts'

/** The queues: queries, mutations and streams over sockets each have one. */
export type QueueName = 'queries' | 'commands' | 'streams'

/** Overload protection. */
export type Overload = {
  /**
   * Begins a request, now or later, or refuses it. Returns the function that removes it from the queue; null if it has begun.
   */
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

/** Key of a client's queue, and the weight of its requests when some must be refused. */
export type ClientKey = { readonly name: string; readonly weight: number }

/** Clients without a token are refused before those with one, at equal numbers. */
const ANONYMOUS_WEIGHT = 2
const KNOWN_WEIGHT = 1

/** Keys by caller, because each request needs one. */
const keys = new WeakMap<Caller, ClientKey>()

/** Returns the key of a caller: by the identity of its token, otherwise by its peer's name. */
export function clientKey(caller: Caller, peerName: () => string): ClientKey {
  const weight = caller.kind === 'client' ? KNOWN_WEIGHT : ANONYMOUS_WEIGHT
  if (caller.kind === 'anonymous' || caller.identity === null) return { name: peerName(), weight }
  const known = keys.get(caller)
  if (known !== undefined) return known
  const key = { name: `caller ${caller.identity}`, weight }
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

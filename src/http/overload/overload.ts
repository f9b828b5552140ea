import type { FastifyInstance } from 'fastify'
import { createAdmissionQueue, type AdmissionQueue, type Entry } from './admission-queue.ts'
import type { ClientKey } from './client-key.ts'
import { createLoopClock } from './loop-clock.ts'
import { createScheduler } from './scheduler.ts'

/** Who waits behind whom: queries and mutations each wait for their own kind, and so do streams over sockets. */
export type QueueName = 'queries' | 'commands' | 'streams'

/** Protection against more work than can be done. */
export type Overload = {
  /**
   * Begins a request, now or later, or refuses it. Gives the function that takes it out of the queue, if it still waits; null
   * when it has begun.
   */
  enter(queue: QueueName, entry: Entry): (() => void) | null
  /** Whether as many wait as may, so that `refuse` may refuse one. */
  isFull(queue: QueueName): boolean
  /**
   * Refuses a request that need not be answered before its body is read, and tells whether it did: only when it would be the
   * one to be refused after it had entered.
   */
  refuse(queue: QueueName, client: ClientKey, refuse: () => void): boolean
  /** Whether many clients have been refused for several seconds: another process may do better. */
  isOverloaded(): boolean
}

export type OverloadOptions = {
  /** Queries that may be under way at once. */
  readonly maxInFlight: number
  /** Called for each request that is refused. */
  readonly onRefused: () => void
}

/**
 * Of mutations a quarter as many may be under way: the payments API takes 20 at a time of each site, and a command that waits for
 * it has begun, while one that waits here can still be refused with certainty.
 */
const QUERIES_PER_COMMAND = 4
/** Between two looks at queues that wait for a slot, in milliseconds. */
const OBSERVE_MS = 250

/**
 * Judges overload by queueing delay alone, and refuses what is too much by client. The queues are served in turn, so that mutations
 * do not wait behind queries, and nothing waits behind sockets that all come again at once.
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
    // A client that has no other way to come back takes an error for the end of its stream.
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

import type { FastifyInstance } from 'fastify'
import { STREAM_BEGUN } from './carry-events.ts'
import { isGraphql } from './graphql-addresses.ts'
import type { Load } from './load.ts'
import { problem } from './problem.ts'
import type { Queue, Turns } from './turns.ts'

/** Who may still begin. */
export type Shedding = {
  /** Whether no request is taken at the moment. */
  readonly isOverloaded: () => boolean
  /** For an operation over a socket. */
  readonly enter: Enter
}

/** Counts one more that is under way, and gives the function that ends it; null when it has to be turned away. */
export type Enter = () => (() => void) | null

export type SheddingOptions = {
  readonly load: Load
  readonly turns: Turns
  /** GraphQL requests, and queries and mutations over sockets, that may be under way at once. */
  readonly maxInFlight: number
  readonly onShed: () => void
}

/** Seconds after which a client that was turned away should come again. */
const RETRY_AFTER_S = 2

/**
 * Turns GraphQL away with 503, before its body is read, when there is too much to do. Webhooks go on: a client asks again
 * when its user does, while the service gives a webhook up after 45 minutes (interface document, section 6.2). Between ease
 * and the limit a growing part is turned away, so that the others are answered in time instead of all of them late.
 */
export function shedGraphql(app: FastifyInstance, options: SheddingOptions): Shedding {
  const { turns, load, maxInFlight } = options
  const inFlight = { count: 0 }
  const enter = createEntrance(options, turns.requests, inFlight)
  app.addHook('onRequest', (request, reply, done) => {
    if (!isGraphql(request)) return done()
    const leave = enter()
    if (leave === null) {
      return turns.turnAway(() => {
        if (!reply.raw.destroyed) void reply.header('retry-after', RETRY_AFTER_S).code(503).send(problem(503))
      })
    }
    let gone = false
    reply.raw.once('close', () => {
      gone = true
      leave()
    })
    // A stream of events lasts as long as its reader likes.
    reply.raw.once(STREAM_BEGUN, leave)
    // Whoever has gone meanwhile is owed nothing.
    return turns.requests.begin(() => gone || done())
  })
  return {
    isOverloaded: () => inFlight.count >= maxInFlight || load.pressure(turns.requests.waitedMs()) === 1,
    enter: createEntrance(options, turns.operations, inFlight),
  }
}

/** The way in for those who wait in a queue; `inFlight` is what has come in by any way. */
function createEntrance(
  { load, maxInFlight, onShed }: SheddingOptions,
  { waitedMs }: Queue,
  inFlight: { count: number },
): Enter {
  // What the pressure asks for comes in fractions of requests: they are added up until one is due.
  let due = 0
  const isOneTooMany = (): boolean => {
    if (inFlight.count >= maxInFlight) return true
    due = Math.min(due, 1) + load.pressure(waitedMs())
    if (due < 1) return false
    due -= 1
    return true
  }
  return () => {
    if (isOneTooMany()) {
      onShed()
      return null
    }
    inFlight.count += 1
    let isInside = true
    return () => {
      if (isInside) inFlight.count -= 1
      isInside = false
    }
  }
}

import type { Server } from 'node:http'
import { GraphQLError } from 'graphql'
import { createSliceScheduler } from '../../lib/slice-scheduler.ts'
import type { Turn } from '../server/graphql-exchange.ts'
import { problem } from '../server/problem.ts'
import { createClientQueue, type Entry } from './client-queue.ts'
import { TICK_MS } from './delay-control.ts'

/** Overload protection. */
export type Overload = {
  /** Begins an operation, now or later, or refuses it. */
  enter(operation: WaitingOperation): void
  /** Whether refusals of several clients have gone on for several seconds; readiness fails then. */
  isOverloaded(): boolean
}

/** An operation that has not been parsed. */
export type WaitingOperation = Omit<Entry, 'start'> & {
  /** Whether its client still waits for it. If not, it is refused when it could begin. */
  readonly isWanted: () => boolean
  readonly start: (turn: Turn) => void
}

type OverloadOptions = {
  /** Limit of concurrent queries. */
  readonly maxInFlight: number
  /** Called for each operation that is refused. */
  readonly onRefused: () => void
}

/**
 * Share of commands: the payments API takes 20 concurrent calls per site, and a command that waits for it has begun, while a queued
 * one can still be refused with certainty.
 */
const QUERIES_PER_COMMAND = 4

/**
 * Queues operations before they are parsed, since a flood must not be parsed, and begins them in time slices. A turn of the event loop accepts
 * a single connection (https://github.com/libuv/libuv/pull/3696): the slices give way to connections, so that webhooks are let in. A command is
 * told from a query only when it was parsed; then it waits in a second queue, so that commands which the payments API holds up delay no query.
 */
export function createOverload(server: Server, { maxInFlight, onRefused }: OverloadOptions): Overload {
  const scheduler = createSliceScheduler()
  const operations = createClientQueue({ maxInFlight, scheduler, onRefused })
  const commands = createClientQueue({ maxInFlight: Math.ceil(maxInFlight / QUERIES_PER_COMMAND), onRefused })
  server.on('connection', scheduler.giveWay)
  const ticking = setInterval(() => {
    operations.tick()
    commands.tick()
  }, TICK_MS).unref()
  server.once('close', () => clearInterval(ticking))

  return {
    enter({ client, bytes, isPatient, isWanted, start, refuse }) {
      const begin = (end: () => void) => {
        if (isWanted()) return start(turnOf(end))
        end()
        return refuse()
      }
      const turnOf = (endQuery: () => void): Turn => {
        let end = endQuery
        return {
          settle(kind) {
            if (kind === 'query') return null
            end()
            if (kind === 'subscription') return null
            return new Promise((resolve) => {
              const onPlace = (endCommand: () => void) => {
                end = endCommand
                if (!isWanted()) end()
                resolve(isWanted() ? null : overloadedError())
              }
              const onRefusal = () => resolve(overloadedError())
              commands.enter({ client, bytes, isPatient: false, start: onPlace, refuse: onRefusal })
            })
          },
          end: () => end(),
        }
      }
      operations.enter({ client, bytes, isPatient, start: begin, refuse })
    },
    isOverloaded: () => operations.isOverloaded() || commands.isOverloaded(),
  }
}

/** Returns the error of an operation that was refused before it did anything. */
export function overloadedError(): GraphQLError {
  const { message, extensions } = problem(503, retryAfterS()).errors[0]
  return new GraphQLError(message, { extensions: { ...extensions, http: { status: 503 } } })
}

/** Seconds until a refused client may retry: 1 to 3 at random, so that clients do not retry at the same time. */
export function retryAfterS(): number {
  return 1 + Math.floor(Math.random() * 3)
}

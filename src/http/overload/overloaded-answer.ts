import type { EarlyAnswer } from '../server/early-answers.ts'
import { problem } from '../server/problem.ts'

/** By the seconds after which a client may retry. Made once each, because they are sent often when CPU time is scarce. */
const BODIES = new Map<number, string>()

/** Returns the HTTP response to a refused request. */
export function overloadedAnswer(): EarlyAnswer {
  const seconds = retryAfterS()
  return {
    status: 503,
    headers: ['retry-after', String(seconds), 'content-type', 'application/json; charset=utf-8'],
    body: bodyOf(seconds),
  }
}

function bodyOf(seconds: number): string {
  const body = BODIES.get(seconds) ?? JSON.stringify(problem(503, seconds))
  BODIES.set(seconds, body)
  return body
}

/** Seconds until a refused client may retry: 1 to 3 at random, so that clients do not retry at the same time. */
export function retryAfterS(random: () => number = Math.random): number {
  return 1 + Math.floor(random() * 3)
}

import type { EarlyAnswer } from '../server/early-answers.ts'
import { problem } from '../server/problem.ts'
import { retryAfterS } from './retry-after.ts'

/** Made once, because it is sent often when CPU time is scarce. */
const BODY = JSON.stringify(problem(503))

/** Returns the HTTP response to a refused request. */
export function overloadedAnswer(): EarlyAnswer {
  return {
    status: 503,
    headers: ['retry-after', String(retryAfterS()), 'content-type', 'application/json; charset=utf-8'],
    body: BODY,
  }
}

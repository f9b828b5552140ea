import type { EarlyAnswer } from '../server/early-answers.ts'
import { problem } from '../server/problem.ts'
import { retryAfterS } from './retry-after.ts'

/** Made once, since there are many of them when there is least time. */
const BODY = JSON.stringify(problem(503))

/** What a refused request is answered over HTTP. */
export function overloadedAnswer(): EarlyAnswer {
  return {
    status: 503,
    headers: ['retry-after', String(retryAfterS()), 'content-type', 'application/json; charset=utf-8'],
    body: BODY,
  }
}

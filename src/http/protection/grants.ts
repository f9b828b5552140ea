import type { IncomingMessage } from 'node:http'
import type { FailedAttempts } from '../limits/failed-attempts.ts'
import type { HttpAnswer } from '../server/http-answer.ts'
import { errorAnswer } from '../server/problem.ts'

export type GrantsOptions<Opened> = {
  /** Returns what a URL stands for, or why it may not be used. */
  readonly open: (grant: string) => Opened | 'unknown' | 'expired'
  readonly failures: FailedAttempts
  /** The name under which a peer is counted. */
  readonly peerOf: (request: IncomingMessage) => string
}

const SUSPECT = errorAnswer(429, {
  code: 'TOO_MANY_REQUESTS',
  message: 'Too many requests from this address. Try again later.',
})
const UNKNOWN = errorAnswer(404, { code: 'NOT_FOUND', message: 'There is nothing at this address.' })
const EXPIRED = errorAnswer(410, {
  code: 'EXPIRED',
  message: 'This URL has expired. Request another one.',
})

/**
 * Returns the reader of requests whose URL is the right to what it stands for, in its parameter `grant`. Of a peer that guesses, further guesses
 * are refused.
 */
export function createGrantReader<Opened extends object>({ open, failures, peerOf }: GrantsOptions<Opened>) {
  return (request: IncomingMessage): { readonly opened: Opened } | { readonly refusal: HttpAnswer } => {
    const grants = new URL(request.url ?? '', 'http://localhost').searchParams.getAll('grant')
    const opened = grants.length === 1 ? open(grants[0] ?? '') : 'unknown'
    if (opened === 'expired') return { refusal: EXPIRED }
    if (opened !== 'unknown') return { opened }
    const peer = peerOf(request)
    if (failures.tooMany(peer)) return { refusal: SUSPECT }
    failures.count(peer)
    return { refusal: UNKNOWN }
  }
}

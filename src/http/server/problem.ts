import type { IncomingMessage } from 'node:http'
import { asksForPage } from './accept.ts'
import { type HttpAnswer, jsonAnswer } from './http-answer.ts'

/** What a problem's answer has besides its body. */
type ProblemParts = { readonly headers?: readonly string[]; readonly retryAfterS?: number }

/** Returns the answer with the body of `problem`; `retryAfterS` is also its Retry-After. */
export function problemAnswer(status: number, { headers = [], retryAfterS }: ProblemParts = {}): HttpAnswer {
  const waiting = retryAfterS === undefined ? [] : ['retry-after', String(retryAfterS)]
  return jsonAnswer(status, problem(status, retryAfterS), [...waiting, ...headers])
}

const MESSAGES: Readonly<Record<number, string>> = {
  400: 'The request cannot be read.',
  401: 'The credentials are missing or invalid.',
  404: 'There is nothing at this address.',
  413: 'The request is too large.',
  414: 'The URL is too long.',
  415: 'The content type or content encoding is not supported.',
  429: 'Too many requests with invalid credentials came from this address. Try again later.',
  431: 'The request has too many headers.',
  503: 'The server is overloaded. Try again later.',
}

const CODES: Readonly<Record<number, string>> = { 401: 'UNAUTHENTICATED', 429: 'TOO_MANY_REQUESTS', 503: 'OVERLOADED' }

/** Retry-After of a refusal that is due to the process's own state: by then another process may serve. */
export const RETRY_AFTER_S = 5

/**
 * Returns the body of an error in the form of GraphQL, so that clients read all errors in one way. `retryAfterS` is the value of the header
 * Retry-After, which gateways do not pass on.
 */
export function problem(status: number, retryAfterS?: number) {
  const code = CODES[status] ?? (status >= 500 ? 'INTERNAL_SERVER_ERROR' : 'BAD_REQUEST')
  const message =
    MESSAGES[status] ?? (status >= 500 ? 'The request failed. The fault has been logged.' : 'The request was refused.')
  return { errors: [{ message, extensions: { code, ...retryAfter(retryAfterS) } }] as const }
}

/** Returns the extension of an error that says when a client may retry; none without seconds. */
export function retryAfter(seconds: number | undefined): { readonly retryAfterMs?: number } {
  return seconds === undefined ? {} : { retryAfterMs: seconds * 1000 }
}

/** Returns an answer with one error of this code. */
export function errorAnswer(status: number, { message, retryAfterS, ...extensions }: ErrorParts): HttpAnswer {
  const headers = retryAfterS === undefined ? [] : ['retry-after', String(retryAfterS)]
  return jsonAnswer(status, { errors: [{ message, extensions }] }, headers)
}

type ErrorParts = {
  readonly code: string
  readonly message: string
  readonly field?: string
  readonly retryAfterS?: number
}

/** The answer while the database is away: nothing was done. */
export const UNAVAILABLE: HttpAnswer = errorAnswer(503, {
  code: 'UNAVAILABLE',
  message: 'The database does not answer. Try again later.',
  retryAfterS: RETRY_AFTER_S,
})

export const UNKNOWN_HOST: HttpAnswer = {
  ...errorAnswer(403, {
    code: 'FORBIDDEN',
    message: 'The host name of the request is not allowed. Add it to ALLOWED_HOSTS.',
  }),
  closes: true,
}

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Page not found</title>
<h1>Page not found</h1>
<p>There is nothing at this address. <a href="/console">Go to the console</a></p>
`

/** Returns the answer at an unknown address: a page for a browser's navigation, JSON for programs. */
export function notFoundAnswer(request: IncomingMessage): HttpAnswer {
  // The body of another method is not read.
  if (request.method !== 'GET') return { ...problemAnswer(404), closes: request.method !== 'HEAD' }
  if (!asksForPage(request)) return problemAnswer(404)
  return { status: 404, headers: ['content-type', 'text/html; charset=utf-8'], body: PAGE }
}

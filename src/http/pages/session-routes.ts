import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { bearerToken, InvalidTokenError } from '../../access/caller.ts'
import { MAX_TOKEN_BYTES, type TokenVerifier } from '../../access/verify-token.ts'
import { jsonAnswer } from '../server/http-answer.ts'
import { problemAnswer } from '../server/problem.ts'
import type { HttpServer } from '../server/server.ts'

/** The address of the session of the pages, and the only one to which browsers send its cookie. */
const PATH = '/session'

type SessionRoutesOptions = {
  readonly verifier: Pick<TokenVerifier, 'verify'>
  /** Issues the token of a one-time code; null where none can be issued. */
  readonly issueToken: (() => Promise<string>) | null
  /** Whether browsers reach the server by https alone. */
  readonly isSecure: boolean
}

/** How long a one-time code can be used, in milliseconds. */
const CODE_MS = 3_600_000
/** Browsers keep a cookie for at most 400 days; the token ends before. */
const COOKIE_S = 400 * 24 * 3600

/**
 * Adds the session of the pages: a client token in a cookie that no script can read, so that every tab has it, also after a reload, and no
 * storage. Pages read it from here, and send it with each request themselves: the cookie alone authorises nothing.
 *
 * `POST` begins a session, with `authorization: Bearer <token>` or `Code <one-time code>`; `GET` returns its token, or null; `DELETE` ends it.
 *
 * Returns the creator of one-time codes; null where no token can be issued.
 */
export function addSessionRoutes(
  http: Pick<HttpServer, 'route' | 'send'>,
  { verifier, issueToken, isSecure }: SessionRoutesOptions,
): (() => string) | null {
  const codes = new Map<string, number>()
  const cookieOf = (request: IncomingMessage, token: string) =>
    `${nameFor(request)}=${token}; Path=${PATH}; HttpOnly; SameSite=Strict; Max-Age=${token === '' ? 0 : COOKIE_S}${isSecure ? '; Secure' : ''}`

  const tokenFrom = async ({ headers: { authorization = '' } }: IncomingMessage): Promise<string | null> => {
    const code = /^Code ([\w-]{43})$/.exec(authorization)?.[1]
    if (code === undefined || issueToken === null) return accepted(bearerToken(authorization))
    const until = codes.get(code) ?? 0
    codes.delete(code)
    return Date.now() < until ? issueToken() : null
  }
  const accepted = async (token: string | null): Promise<string | null> => {
    if (token === null || token.length > MAX_TOKEN_BYTES) return null
    try {
      await verifier.verify(token)
      return token
    } catch (error) {
      if (error instanceof InvalidTokenError) return null
      throw error
    }
  }

  const routes = {
    async POST(request: IncomingMessage, response: ServerResponse) {
      const token = await tokenFrom(request)
      if (token === null) return http.send(request, response, problemAnswer(401))
      return http.send(request, response, jsonAnswer(200, { token }, ['set-cookie', cookieOf(request, token)]))
    },
    async GET(request: IncomingMessage, response: ServerResponse) {
      const token = await accepted(cookieIn(request))
      return http.send(request, response, jsonAnswer(200, { token }))
    },
    async DELETE(request: IncomingMessage, response: ServerResponse) {
      return http.send(request, response, jsonAnswer(200, { token: null }, ['set-cookie', cookieOf(request, '')]))
    },
  }
  for (const method of ['GET', 'POST', 'DELETE'] as const)
    http.route([method], PATH, (request, response) =>
      // Browsers send the header with every request; other programs have no cookies of theirs to misuse.
      isOwn(request) ? routes[method](request, response) : http.send(request, response, problemAnswer(401)),
    )
  if (issueToken === null) return null
  return () => {
    const code = randomBytes(32).toString('base64url')
    codes.set(code, Date.now() + CODE_MS)
    return code
  }
}

/** Whether a request comes from our own pages. */
function isOwn({ headers: { 'sec-fetch-site': site } }: IncomingMessage): boolean {
  return site === undefined || site === 'same-origin'
}

/** Cookies of all ports of a host are one: the port tells those of two servers apart. */
function nameFor({ socket }: IncomingMessage): string {
  return `payments-session-${socket.localPort}`
}

function cookieIn(request: IncomingMessage): string | null {
  const prefix = `${nameFor(request)}=`
  const cookie = (request.headers.cookie ?? '').split('; ').find((one) => one.startsWith(prefix))
  return cookie?.slice(prefix.length) ?? null
}

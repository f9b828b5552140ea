import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { bearerToken, InvalidTokenError } from '../../access/caller.ts'
import type { OidcLogin, OidcTokens } from '../../access/oidc-login.ts'
import { MAX_TOKEN_BYTES, type TokenVerifier } from '../../access/verify-token.ts'
import type { Logger } from '../../observability/logger.ts'
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
  /** The sign-in at the issuer of the tokens; null without. */
  readonly login: OidcLogin | null
  /** The address under which browsers reach the server. */
  readonly publicUrl: () => string
  readonly logger: Pick<Logger, 'warn'>
}

/** How long a one-time code can be used, in milliseconds. */
const CODE_MS = 3_600_000
/** Browsers keep a cookie for at most 400 days; the token ends before. */
const COOKIE_S = 400 * 24 * 3600
/** Seconds within which a user signs in at the issuer. */
const LOGIN_S = 600

/**
 * Adds the session of the pages: a client token in a cookie that no script can read, so that every tab has it, also after a reload, and no
 * storage. Pages read it from here, and send it with each request themselves: the cookie alone authorises nothing.
 *
 * `POST` begins a session, with `authorization: Bearer <token>` or `Code <one-time code>`; `GET` returns its token, or null; `PUT` renews the
 * token at the issuer; `DELETE` ends the session. `/session/sign-in` leads to the issuer, and `/session/callback` back.
 *
 * Returns the creator of one-time codes; null where no token can be issued.
 */
export function addSessionRoutes(
  http: Pick<HttpServer, 'route' | 'send'>,
  { verifier, issueToken, isSecure, login, publicUrl, logger }: SessionRoutesOptions,
): (() => string) | null {
  const codes = new Map<string, number>()
  const secure = isSecure ? '; Secure' : ''
  const cookieOf = (request: IncomingMessage, name: CookieName, value: string) => {
    // The issuer's answer is a navigation from another site, which brings no strict cookie.
    const [seconds, site] = name === 'sign-in' ? [LOGIN_S, 'Lax'] : [COOKIE_S, 'Strict']
    const rights = `Path=${PATH}; HttpOnly; SameSite=${site}; Max-Age=${value === '' ? 0 : seconds}${secure}`
    return ['set-cookie', `${nameFor(request, name)}=${value}; ${rights}`]
  }
  const cookiesOf = (request: IncomingMessage, { token, refreshToken }: OidcTokens) => [
    ...cookieOf(request, 'session', token),
    ...cookieOf(request, 'renewal', refreshToken ?? ''),
  ]
  const signIn = login !== null

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

  const noted = (error: unknown): null => {
    logger.warn({ code: 'SIGN_IN_FAILED', err: error }, 'A sign-in at the issuer of tokens failed.')
    return null
  }

  const redirect = (request: IncomingMessage, response: ServerResponse, to: string, cookies: readonly string[] = []) =>
    http.send(request, response, { status: 302, headers: ['location', to, ...cookies], body: null })

  const addLogin = ({ begin, finish }: OidcLogin) => {
    const redirectUri = () => `${publicUrl()}${PATH}/callback`
    http.route(['GET'], `${PATH}/sign-in`, async (request, response) => {
      const begun = await begin(redirectUri()).catch(noted)
      if (begun === null) return redirect(request, response, '/console#sign-in=unavailable')
      const cookie = cookieOf(request, 'sign-in', begun.secret)
      return redirect(request, response, begun.url.href, cookie)
    })
    http.route(['GET'], `${PATH}/callback`, async (request, response) => {
      const secret = cookieIn(request, 'sign-in')
      const answer = new URL(redirectUri())
      answer.search = new URL(request.url ?? '', answer).search
      const tokens = secret === null ? null : await finish(answer, secret).catch(noted)
      const token = await accepted(tokens?.token ?? null)
      const used = cookieOf(request, 'sign-in', '')
      return tokens === null || token === null
        ? redirect(request, response, '/console#sign-in=refused', used)
        : redirect(request, response, '/console', [...used, ...cookiesOf(request, tokens)])
    })
  }

  const routes = {
    async POST(request: IncomingMessage, response: ServerResponse) {
      const token = await tokenFrom(request)
      if (token === null) return http.send(request, response, problemAnswer(401))
      return http.send(
        request,
        response,
        jsonAnswer(200, { token, signIn }, cookiesOf(request, { token, refreshToken: null })),
      )
    },
    async GET(request: IncomingMessage, response: ServerResponse) {
      const token = await accepted(cookieIn(request, 'session'))
      return http.send(request, response, jsonAnswer(200, { token, signIn }))
    },
    async PUT(request: IncomingMessage, response: ServerResponse) {
      const refreshToken = cookieIn(request, 'renewal')
      const tokens = login === null || refreshToken === null ? null : await login.renew(refreshToken).catch(noted)
      const token = await accepted(tokens?.token ?? null)
      const cookies = tokens === null || token === null ? [] : cookiesOf(request, tokens)
      return http.send(request, response, jsonAnswer(200, { token, signIn }, cookies))
    },
    async DELETE(request: IncomingMessage, response: ServerResponse) {
      return http.send(
        request,
        response,
        jsonAnswer(200, { token: null, signIn }, cookiesOf(request, { token: '', refreshToken: null })),
      )
    },
  }
  for (const method of ['GET', 'POST', 'PUT', 'DELETE'] as const)
    http.route([method], PATH, (request, response) =>
      // Browsers send the header with every request; other programs have no cookies of theirs to misuse.
      isOwn(request) ? routes[method](request, response) : http.send(request, response, problemAnswer(401)),
    )
  if (login !== null) addLogin(login)
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

type CookieName = 'session' | 'renewal' | 'sign-in'

/** Cookies of all ports of a host are one: the port tells those of two servers apart. */
function nameFor({ socket }: IncomingMessage, name: CookieName): string {
  return `payments-${name}-${socket.localPort}`
}

function cookieIn(request: IncomingMessage, name: CookieName): string | null {
  const prefix = `${nameFor(request, name)}=`
  const cookie = (request.headers.cookie ?? '').split('; ').find((one) => one.startsWith(prefix))
  return cookie?.slice(prefix.length) ?? null
}

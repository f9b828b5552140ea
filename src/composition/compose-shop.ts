import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { isLoopbackHost } from 'payments-subgraph-lib/known-hosts'
import { issueDevelopmentToken } from '../access/issue-token.ts'
import { GRAPHQL_PATH } from '../http/graphql/graphql-body.ts'
import type { DirectAnswers } from '../http/server/direct-answers.ts'
import type { Logger } from '../observability/logger.ts'
import type { AppConfig } from './services.ts'

const TOKEN_TTL_S = 60

/** What the demo shop needs to be a client of the graph, over HTTP as any other. */
export type ShopOptions = {
  /** Returns the URL of the graph. */
  readonly graphqlUrl: () => string
  /** Returns the URL of this server without a trailing slash, for browsers that send no Origin. */
  readonly publicUrl: () => string
  /** Issues a token with `payments:read` and `payments:write`, valid for one minute. */
  readonly issueToken: () => Promise<string>
  readonly sandboxOrigin: string
  readonly logger: Logger
}

/** Returns the handler of the requests below `/shop`, apart from the page itself. */
export type CreateShop = (options: ShopOptions) => (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** Adds the demo shop, only with the emulator and only if this process can issue tokens. */
export function addShop(config: AppConfig, { http, direct, logger }: Parts, createShop: CreateShop): void {
  const { clients, http: settings } = config
  const sandboxOrigin = emulatorOrigin(config)
  if (sandboxOrigin === null || clients.kind !== 'secret') return
  const scopes = ['payments:read', 'payments:write'] as const
  const token = { ...clients, scopes, subject: 'shop', ttlSeconds: TOKEN_TTL_S }
  const shop = createShop({
    graphqlUrl: () => `${http.listeningOrigin}${GRAPHQL_PATH}`,
    publicUrl: () => (settings.port === 0 ? http.listeningOrigin : settings.publicUrl),
    issueToken: () => issueDevelopmentToken(clients.secret, token),
    sandboxOrigin,
    logger,
  })
  direct.handle('/shop', (request, response, path) => {
    if (path === '/shop') return false
    const headers = direct.headersFor(request, {})
    for (let at = 0; at < headers.length; at += 2) response.setHeader(headers[at] ?? '', headers[at + 1] ?? '')
    void shop(request, response)
    return true
  })
}

type Parts = { readonly http: FastifyInstance; readonly direct: DirectAnswers; readonly logger: Logger }

/**
 * Returns the origin of the sandbox that emulates the payments API; null if a real payments API is configured. Even a sandbox
 * account there belongs to somebody, so the demo shop, which creates links for everyone, and the emulator's pages are not served
 * with it.
 */
export function emulatorOrigin({ upstream, production }: AppConfig): string | null {
  const { origin, hostname } = new URL(upstream.url)
  return upstream.environment === 'sandbox' && !production && isLoopbackHost(hostname) ? origin : null
}

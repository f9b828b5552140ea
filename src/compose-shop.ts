import type { IncomingMessage, ServerResponse } from 'node:http'
import { issueDevelopmentToken } from './access/issue-token.ts'
import { type AppConfig, emulatorOrigin } from './config.ts'
import { GRAPHQL_PATH } from './http/server/graphql-exchange.ts'
import type { HttpServer } from './http/server/server.ts'
import type { Logger } from './observability/logger.ts'

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
export function addShop(config: AppConfig, { http, logger }: Parts, createShop: CreateShop): void {
  const { clients, http: settings } = config
  const sandboxOrigin = emulatorOrigin(config)
  if (sandboxOrigin === null || clients.kind !== 'secret') return
  const scopes = ['payments:read', 'payments:write'] as const
  const token = { ...clients, scopes, subject: 'shop', ttlSeconds: TOKEN_TTL_S }
  const shop = createShop({
    graphqlUrl: () => `${http.url()}${GRAPHQL_PATH}`,
    publicUrl: () => (settings.port === 0 ? http.url() : settings.publicUrl),
    issueToken: () => issueDevelopmentToken(clients.secrets[0], token),
    sandboxOrigin,
    logger,
  })
  http.route('every', '/shop/*', (request, response) => {
    const headers = http.headersFor(request, {})
    for (let at = 0; at < headers.length; at += 2) response.setHeader(headers[at] ?? '', headers[at + 1] ?? '')
    return shop(request, response)
  })
}

type Parts = { readonly http: HttpServer; readonly logger: Logger }

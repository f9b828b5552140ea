import type { FastifyInstance } from 'fastify'
import { isLoopbackHost } from 'payments-subgraph-lib/known-hosts'
import { issueDevelopmentToken } from '../access/issue-token.ts'
import { GRAPHQL_PATH } from '../http/graphql/graphql-body.ts'
import type { Logger } from '../observability/logger.ts'
import { addShop } from '../shop/shop.ts'
import type { AppConfig } from './services.ts'

const TOKEN_TTL_S = 60

/**
 * Adds the demo shop's server, only with the emulator and only if this process can issue tokens: the shop is an ordinary client
 * and sends its operations over HTTP.
 */
export function addDemoShop(config: AppConfig, parts: Parts): void {
  const { clients, http: settings } = config
  const sandboxOrigin = emulatorOrigin(config)
  if (sandboxOrigin === null || clients.kind !== 'secret') return
  const { http, logger } = parts
  const { secret, issuer, audience } = clients
  const token = {
    scopes: ['payments:read', 'payments:write'],
    subject: 'shop',
    ttlSeconds: TOKEN_TTL_S,
    issuer,
    audience,
  } as const
  addShop(http, {
    graphqlUrl: () => `${http.listeningOrigin}${GRAPHQL_PATH}`,
    publicUrl: () => (settings.port === 0 ? http.listeningOrigin : settings.publicUrl),
    issueToken: () => issueDevelopmentToken(secret, token),
    sandboxOrigin,
    logger,
  })
}

type Parts = { readonly http: FastifyInstance; readonly logger: Logger }

/**
 * Returns the origin of the sandbox that emulates the payments API; null if a real payments API is configured. Even a sandbox
 * account there belongs to somebody, so the demo shop, which creates links for everyone, and the emulator's pages are not served
 * with it.
 */
export function emulatorOrigin({ upstream, production }: AppConfig): string | null {
  const { origin, hostname } = new URL(upstream.url)
  return upstream.environment === 'sandbox' && !production && isLoopbackHost(hostname) ? origin : null
}

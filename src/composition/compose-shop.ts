import { issueDevelopmentToken } from '../access/issue-token.ts'
import { GRAPHQL_PATH } from '../http/server/exchange.ts'
import { jsonAnswer } from '../http/server/http-answer.ts'
import type { HttpServer } from '../http/server/server.ts'
import { isLoopbackHost } from '../lib/known-hosts.ts'
import type { Logger } from '../observability/logger.ts'
import { createShop, type ShopHandler } from '../shop/shop.ts'
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
  const { catalogue, orders, faults } = createShop({
    graphqlUrl: () => `${http.url()}${GRAPHQL_PATH}`,
    publicUrl: () => (settings.port === 0 ? http.url() : settings.publicUrl),
    issueToken: () => issueDevelopmentToken(secret, token),
    sandboxOrigin,
    logger,
  })
  const add = (method: 'GET' | 'POST', path: string, handler: ShopHandler) =>
    http.route([method], path, async (request, response) => {
      const { status, body } = await handler(request)
      http.send(request, response, { ...jsonAnswer(status, body), closes: !request.complete })
    })
  add('GET', '/shop/catalogue', catalogue)
  add('POST', '/shop/orders', orders)
  add('POST', '/shop/faults', faults)
}

type Parts = { readonly http: HttpServer; readonly logger: Logger }

/**
 * Returns the origin of the sandbox that emulates the payments API; null if a real payments API is configured. Even a sandbox
 * account there belongs to somebody, so the demo shop, which creates links for everyone, and the emulator's pages are not served
 * with it.
 */
export function emulatorOrigin({ upstream, production }: AppConfig): string | null {
  const { origin, hostname } = new URL(upstream.url)
  return upstream.environment === 'sandbox' && !production && isLoopbackHost(hostname) ? origin : null
}

import { issueDevelopmentToken } from './access/issue-token.ts'
import { type AppConfig, emulatorOrigin } from './config.ts'
import { GRAPHQL_PATH } from './http/server/graphql-exchange.ts'
import { jsonAnswer } from './http/server/http-answer.ts'
import type { HttpServer } from './http/server/server.ts'
import type { Logger } from './observability/logger.ts'
import { createShop, type ShopHandler } from './shop/shop.ts'

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

import type { IncomingMessage, ServerResponse } from 'node:http'
import { ALL_SCOPES } from '../../access/caller.ts'
import { issueDevelopmentToken } from '../../access/issue-token.ts'
import { createOidcLogin } from '../../access/oidc-login.ts'
import type { TokenVerifier } from '../../access/verify-token.ts'
import { type AppConfig, emulatorOrigin } from '../../config.ts'
import type { Logger } from '../../observability/logger.ts'
import type { HttpServer } from '../server/server.ts'
import { addPageRoutes, addPages } from './pages.ts'
import { addSessionRoutes } from './session-routes.ts'

export type SendPage = (request: IncomingMessage, response: ServerResponse) => void

/** Days for which the token of a one-time code is valid. */
const SESSION_DAYS = 7

type PagesNeeds = {
  readonly http: HttpServer
  readonly verifier: Pick<TokenVerifier, 'verify'>
  readonly logger: Logger
}

/** Adds the pages and their session, if they have been built. Returns what sends the explorer and creates one-time codes, null without. */
export function addPagesFor(config: AppConfig, { http, verifier, logger }: PagesNeeds) {
  const sandboxOrigin = emulatorOrigin(config)
  const pages = addPages(http, sandboxOrigin)
  if (pages === null) return { sendExplorer: null, createCode: null }
  addPageRoutes(http, { pages, environment: config.upstream.environment, sandboxOrigin })
  const { clients, production } = config
  // Anywhere else a token would give access to a real account.
  const isDevelopment = !production && sandboxOrigin !== null
  const content = { scopes: ALL_SCOPES, subject: 'developer', ttlSeconds: SESSION_DAYS * 24 * 3600 }
  const createCode = addSessionRoutes(http, {
    verifier,
    issueToken:
      isDevelopment && clients.kind === 'secret'
        ? () => issueDevelopmentToken(clients.secrets[0], { ...clients, ...content })
        : null,
    isSecure: config.http.publicUrl.startsWith('https:'),
    login:
      config.console.clientId === null || clients.issuer === null
        ? null
        : createOidcLogin({
            ...config.console,
            ...clients,
            clientId: config.console.clientId,
            issuer: clients.issuer,
            proxies: config.proxies,
          }),
    publicUrl: () => (config.http.publicUrl.endsWith(':0') ? http.url() : config.http.publicUrl),
    logger,
  })
  const sendExplorer: SendPage = (request, response) => pages.send(request, response, 'explorer')
  return { sendExplorer: production ? null : sendExplorer, createCode }
}

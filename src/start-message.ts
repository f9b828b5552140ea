import { issueDevelopmentToken } from './access/issue-token.ts'
import { ALL_SCOPES } from './access/scopes.ts'
import type { AppConfig } from './app.ts'
import { emulatorOrigin } from './composition/emulator-origin.ts'
import { pagesAreBuilt } from './http/pages/pages.ts'

type StartMessageOptions = { readonly url: string; readonly builtInSandbox: boolean; readonly pages?: string }

const TOKEN_TTL_S = 7 * 24 * 3_600

/**
 * Returns the URLs and keys that a developer sees after `npm start`. Not for production. A token is included with the built-in
 * sandbox only: anywhere else it would give access to a real account. `pages` is the folder of the pages; default: where the
 * build puts them.
 */
export async function startMessage(
  config: AppConfig,
  { url, builtInSandbox, pages }: StartMessageOptions,
): Promise<string> {
  const sandbox = emulatorOrigin(config)
  const lines = [
    '',
    'payments-subgraph is ready',
    `  GraphQL          ${url}/graphql`,
    `  Explorer         the same, in a browser`,
    `  Subscriptions    ${url.replace(/^http/, 'ws')}/graphql  (graphql-transport-ws)`,
    `  Console          ${url}/console  (sign in with a token)`,
    ...(sandbox === null ? [] : [`  Shop, sandbox    ${url}/shop  ${sandbox}/sandbox`]),
    `  Webhooks         ${config.http.publicUrl.endsWith(':0') ? url : config.http.publicUrl}/webhooks/payments`,
    `  Health, metrics  ${url}/health/ready  ${url}/metrics`,
    `  Payments API     ${config.upstream.url}`,
    `  Data             ${config.database.kind === 'sqlite' ? config.database.path : config.database.place}`,
    ...(config.generated.length > 0 ? [`  Generated keys   ${config.generated.join(', ')}  (development only)`] : []),
    ...(builtInSandbox ? await tokenLines(config) : []),
    ...(pagesAreBuilt(pages) ? [] : ['', 'There are no pages yet: `npm run build:web` builds them.']),
    '',
  ]
  return `${lines.join('\n')}\n`
}

async function tokenLines({ clients }: AppConfig): Promise<string[]> {
  if (clients.kind !== 'secret') return []
  const token = await issueDevelopmentToken(clients.secret, {
    scopes: ALL_SCOPES,
    subject: 'developer',
    ttlSeconds: TOKEN_TTL_S,
    issuer: clients.issuer,
    audience: clients.audience,
  })
  return ['', 'A development token with every scope, good for a week:', `  authorization: Bearer ${token}`]
}

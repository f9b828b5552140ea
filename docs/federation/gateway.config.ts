// Hive Gateway. Run with `hive-gateway supergraph`, in the folder of this file; `npm run test:all -- test/gateway` runs it too.
// ROUTER_SECRET is one of the subgraph's ROUTER_SECRETS. JWT_SECRET is set where the gateway is to refuse early,
// TRUSTED_DOCUMENTS (a manifest in Relay's form) where clients may send trusted documents alone. With STREAMS=http the
// subgraph's streams come as server-sent events, with STREAMS=callback as requests of the subgraph to CALLBACK_URL, otherwise
// over a WebSocket.
import { readFileSync } from 'node:fs'
import {
  createInlineSigningKeyProvider,
  defineConfig,
  type GatewayPlugin,
  type HTTPCallbackTransportOptions,
  type WSTransportOptions,
} from '@graphql-hive/gateway'
import { unifiedGraphHandler } from '@graphql-hive/router-runtime'
import { GraphQLError, type GraphQLErrorOptions } from 'graphql'

const { ROUTER_SECRET = '', JWT_SECRET, TRUSTED_DOCUMENTS, STREAMS, CALLBACK_URL } = process.env

const overSocket = {
  kind: 'ws' as const,
  location: '/graphql',
  // Propagated headers are not sent on sockets.
  headers: [['x-router-secret', '{env.ROUTER_SECRET}']] as [string, string][],
  options: {
    connectionParams: { token: '{context.headers.authorization}' },
  } satisfies WSTransportOptions,
}

const overHttp = { kind: 'http' as const, location: '/graphql/stream' }

// The origin of CALLBACK_URL is one of the subgraph's CALLBACK_ORIGINS; its path has to reach this gateway as CALLBACK_PATH.
const CALLBACK_PATH = '/callback'
const byCallback = {
  kind: 'http-callback' as const,
  location: '/graphql',
  options: {
    public_url: CALLBACK_URL,
    path: CALLBACK_PATH,
    heartbeat_interval: 5_000,
  } satisfies HTTPCallbackTransportOptions,
}

const waysOfStreams = { http: overHttp, callback: byCallback, socket: overSocket }

export const gatewayConfig = defineConfig({
  port: 4400,
  // Plans with the query planner of Hive Router: several times as fast for many entities, and an entity that the caller may not read is null
  // without an error.
  unifiedGraphHandler,
  maskedErrors: { maskError: shownError },
  propagateHeaders: {
    fromClientToSubgraphs({ context, subgraphName }) {
      const headers: Record<string, string> = {}
      // Of the context and not of the request: for a client on a socket these are the connection's parameters.
      const authorization = context.headers['authorization']
      if (authorization !== undefined) headers['authorization'] = authorization
      if (subgraphName !== 'payments') return headers
      headers['x-router-secret'] = ROUTER_SECRET
      // A guest's: entities have no arguments for it.
      const statusToken = context.headers['payment-status-token']
      if (statusToken !== undefined) headers['payment-status-token'] = statusToken
      return headers
    },
  },
  transportEntries: {
    payments: {
      options: {
        subscriptions: waysOfStreams[STREAMS as keyof typeof waysOfStreams] ?? overSocket,
      },
    },
  },
  ...(STREAMS === 'callback' ? callbacks() : {}),
  ...(JWT_SECRET === undefined ? {} : earlyRefusals(JWT_SECRET)),
  ...(TRUSTED_DOCUMENTS === undefined ? {} : trustedDocuments(TRUSTED_DOCUMENTS)),
})

/** Takes the subgraph's callbacks, and confirms them as the protocol asks for: without the header the subgraph begins no stream. */
function callbacks() {
  const confirm: GatewayPlugin = {
    onResponse({ request, response }) {
      if (response.status === 204 && new URL(request.url).pathname.startsWith(`${CALLBACK_PATH}/`))
        response.headers.set('subscription-protocol', 'callback/1.0')
    },
  }
  return { webhooks: true, plugins: () => [confirm] }
}

/** Verifies tokens, and holds the `@requiresScopes` of the supergraph. The subgraph does both again. */
function earlyRefusals(secret: string) {
  return {
    jwt: {
      signingKeyProviders: [createInlineSigningKeyProvider(secret)],
      tokenLookupLocations: [bearerToken],
      tokenVerification: { algorithms: ['HS256' as const] },
      // A status page has a status token, and no account.
      reject: { missingToken: false, invalidToken: true },
    },
    genericAuth: {
      mode: 'protect-granular' as const,
      resolveUserFn: (context: { jwt?: { payload: object } }) => context.jwt?.payload ?? null,
    },
  }
}

/** Masks what is no GraphQL error. With this planner, the error of a stream that a subgraph refuses is plain JSON: its code would be lost. */
function shownError(error: unknown, message: string): Error {
  if (error instanceof GraphQLError) return error
  const { message: said = message, ...options } = error as GraphQLErrorOptions & { readonly message?: string }
  return options.extensions?.['serviceName'] === undefined
    ? new GraphQLError(message, { extensions: { code: 'INTERNAL_SERVER_ERROR' } })
    : new GraphQLError(said, options)
}

type Asking = { readonly request?: Request; readonly serverContext?: object }

/** The token of a request, or of the parameters of a socket. */
function bearerToken({ request, serverContext = {} }: Asking) {
  const { connectionParams } = serverContext as { connectionParams?: { authorization?: string } }
  const authorization = request?.headers.get('authorization') ?? connectionParams?.authorization
  return authorization ? { token: authorization.replace(/^bearer /i, '') } : undefined
}

function trustedDocuments(path: string) {
  const documents = JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>
  return {
    persistedDocuments: {
      getPersistedOperation: (id: string) => documents[id] ?? null,
      allowArbitraryDocuments: false,
    },
  }
}

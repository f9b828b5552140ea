import { AsyncLocalStorage } from 'node:async_hooks'
import { ApolloServer } from '@apollo/server'
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled'
import { ApolloServerPluginInlineTrace } from '@apollo/server/plugin/inlineTrace'
import type { DocumentNode, GraphQLSchema } from 'graphql'
import type { Logger } from '../../log.ts'
import type { Tracing } from '../../tracing/tracing.ts'
import type { Context } from '../context.ts'
import type { ErrorFormatter } from '../errors.ts'
import { traceOperations } from '../trace-operations.ts'
import { cachePolicyHeader } from './cache-policy.ts'

/** The admitted document of the request that is being answered. */
const admittedDocument = new AsyncLocalStorage<DocumentNode>()

/** Answers a request by its admitted document: Apollo Server neither parses nor validates the text again. */
export function withDocument<Answer>(document: DocumentNode, answer: () => Answer): Answer {
  return admittedDocument.run(document, answer)
}

export type ApolloOptions = {
  readonly schema: GraphQLSchema
  readonly formatError: ErrorFormatter
  readonly production: boolean
  readonly logger: Logger
  readonly tracing: Tracing | null
}

/**
 * Apollo Server runs queries and mutations that came over HTTP. It is given nothing that has not passed the gate of all
 * transports, within `withDocument`, so that it neither parses nor validates. Everything is turned off that
 * this subgraph does not use: the cache-control plugin alone costs a fifth of the throughput of a cached list.
 */
export async function startApollo({
  schema,
  formatError,
  production,
  logger,
  tracing,
}: ApolloOptions): Promise<ApolloServer<Context>> {
  const server = new ApolloServer<Context>({
    schema,
    // Who may introspect has been decided at the gate.
    introspection: true,
    includeStacktraceInErrorResponses: false,
    hideSchemaDetailsFromClientErrors: production,
    persistedQueries: false,
    allowBatchedHttpRequests: false,
    csrfPrevention: true,
    stopOnTerminationSignals: false,
    documentStore: DOCUMENT_STORE,
    formatError,
    plugins: [
      ...(tracing === null ? [] : [traceOperations(tracing)]),
      cachePolicyHeader(schema),
      ApolloServerPluginCacheControlDisabled(),
      // For the router alone, when it asks. Of an error it shows where it was, and not what it says.
      ApolloServerPluginInlineTrace({ includeErrors: { masked: true } }),
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
    ],
    logger: quiet(logger),
    nodeEnv: production ? 'production' : 'development',
  })
  await server.start()
  return server
}

/** What Apollo Server takes for its cache of documents. */
const DOCUMENT_STORE = {
  get: async () => admittedDocument.getStore(),
  set: async () => {},
  delete: async () => {},
}

/** Apollo's own lines, without their text: it may quote a request. */
function quiet(logger: Logger) {
  const line = (level: 'debug' | 'info' | 'warn' | 'error') => () =>
    logger[level]({}, 'Apollo Server has something to say')
  return { debug: () => {}, info: () => {}, warn: line('warn'), error: line('error') }
}

import { AsyncLocalStorage } from 'node:async_hooks'
import { ApolloServer, HeaderMap } from '@apollo/server'
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled'
import { ApolloServerPluginInlineTrace } from '@apollo/server/plugin/inlineTrace'
import type { DocumentNode, GraphQLSchema } from 'graphql'
import type { Logger } from '../../observability/logger.ts'
import type { Context } from '../context.ts'
import type { ErrorFormatter } from '../error-formatter.ts'
import type { FederatedTraces } from './federated-traces.ts'

/** An Apollo Server that has started. */
export type ApolloTraces = Pick<FederatedTraces, 'answer' | 'stop'>

export type ApolloTracesOptions = {
  readonly schema: GraphQLSchema
  readonly formatError: ErrorFormatter
  readonly production: boolean
  readonly logger: Logger
}

/** Asks Apollo Server's plugin for a trace. https://www.apollographql.com/docs/apollo-server/api/plugin/inline-trace */
const HEADERS = [
  ['content-type', 'application/json'],
  ['apollo-federation-include-trace', 'ftv1'],
] as const

/**
 * Runs operations by Apollo Server, which alone writes federated traces. It is given admitted documents, so that it neither
 * parses nor validates, and everything is turned off that this subgraph does not use.
 */
export async function startApolloTraces(options: ApolloTracesOptions): Promise<ApolloTraces> {
  const { schema, formatError, production, logger } = options
  const admittedDocument = new AsyncLocalStorage<DocumentNode>()
  const server = new ApolloServer<Context>({
    schema,
    // Admission has decided who may introspect.
    introspection: true,
    includeStacktraceInErrorResponses: false,
    hideSchemaDetailsFromClientErrors: production,
    persistedQueries: false,
    allowBatchedHttpRequests: false,
    stopOnTerminationSignals: false,
    documentStore: { get: async () => admittedDocument.getStore(), set: async () => {}, delete: async () => {} },
    formatError,
    plugins: [
      ApolloServerPluginCacheControlDisabled(),
      // Of an error it shows where it was, and not what it says.
      ApolloServerPluginInlineTrace({ includeErrors: { masked: true } }),
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
    ],
    logger: quiet(logger),
    nodeEnv: production ? 'production' : 'development',
  })
  await server.start()
  return {
    async answer({ document, request }, context) {
      const { query, variables } = request
      const { status = 200, body } = await admittedDocument.run(document, () =>
        server.executeHTTPGraphQLRequest({
          httpGraphQLRequest: {
            method: 'POST',
            headers: new HeaderMap(HEADERS),
            search: '',
            body: { query, operationName: request.operationName, variables },
          },
          context: async () => context,
        }),
      )
      if (body.kind !== 'complete') throw new TypeError('Apollo Server answered in parts.')
      // A trace tells of one execution: nobody else is served it.
      return { kind: 'answer', json: body.string, status, maxAgeS: null }
    },
    stop: () => server.stop(),
  }
}

/** Apollo's own lines, without their text: it may quote a request. */
function quiet(logger: Logger) {
  const line = (level: 'debug' | 'info' | 'warn' | 'error') => () => logger[level]({}, 'Apollo Server wrote a line')
  return { debug: () => {}, info: () => {}, warn: line('warn'), error: line('error') }
}

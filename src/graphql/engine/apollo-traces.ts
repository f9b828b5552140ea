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
import type { AdmittedOperation } from '../admission/admission.ts'
import type { Context } from '../context.ts'
import type { ErrorFormatter } from '../error-formatter.ts'
import type { Answer } from './request-outcome.ts'

/** A started Apollo Server. */
export type ApolloTraces = {
  /** Runs a query or a mutation, with the trace in `extensions.ftv1` of its response. */
  answer(operation: AdmittedOperation, context: Context): Promise<Answer>
  stop(): Promise<void>
}

export type ApolloTracesOptions = {
  /** Creates a schema for traces alone: Apollo Server replaces each of its resolvers by one that measures the time. */
  readonly createSchema: () => GraphQLSchema
  readonly formatError: ErrorFormatter
  readonly production: boolean
  readonly logger: Logger
}

/** Headers with which Apollo Server's plugin records a trace. https://www.apollographql.com/docs/apollo-server/api/plugin/inline-trace */
const HEADERS = [
  ['content-type', 'application/json'],
  ['apollo-federation-include-trace', 'ftv1'],
] as const

/**
 * Starts an Apollo Server, the only implementation that writes federated traces, and runs operations with it. It receives admitted
 * documents, so it neither parses nor validates. All of its features that this subgraph does not use are off.
 */
export async function startApolloTraces(options: ApolloTracesOptions): Promise<ApolloTraces> {
  const { createSchema, formatError, production, logger } = options
  const admittedDocument = new AsyncLocalStorage<DocumentNode>()
  const server = new ApolloServer<Context>({
    schema: createSchema(),
    // The admission decides about introspection.
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
      // A trace contains the position of an error, without its message.
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
      // A trace belongs to one execution, so the answer must not be shared.
      return { kind: 'answer', json: body.string, status, maxAgeS: null }
    },
    stop: () => server.stop(),
  }
}

/** Creates a logger for Apollo Server that omits the text of its lines, because the text may quote a request. */
function quiet(logger: Logger) {
  const line = (level: 'debug' | 'info' | 'warn' | 'error') => () => logger[level]({}, 'Apollo Server wrote a line')
  return { debug: () => {}, info: () => {}, warn: line('warn'), error: line('error') }
}

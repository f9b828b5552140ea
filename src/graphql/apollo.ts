import { ApolloServer, type ApolloServerPlugin } from '@apollo/server'
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled'
import { GraphQLError, OperationTypeNode, type GraphQLSchema } from 'graphql'
import type { Logger } from '../log.ts'
import type { Context } from './context.ts'
import { createErrorFormatter } from './errors.ts'
import { routerRefusal, type OperationPolicy } from './operation-policy.ts'

export type ApolloOptions = {
  readonly schema: GraphQLSchema
  readonly policy: OperationPolicy
  readonly production: boolean
  readonly logger: Logger
}

/**
 * Apollo Server for queries and mutations over HTTP, with everything turned off that this subgraph does not use: the
 * cache-control plugin alone costs a fifth of the throughput of a cached list.
 */
export async function startApollo({
  schema,
  policy,
  production,
  logger,
}: ApolloOptions): Promise<ApolloServer<Context>> {
  const server = new ApolloServer<Context>({
    schema,
    introspection: policy.introspection || policy.routerOnly,
    includeStacktraceInErrorResponses: false,
    hideSchemaDetailsFromClientErrors: production,
    persistedQueries: false,
    allowBatchedHttpRequests: false,
    csrfPrevention: true,
    stopOnTerminationSignals: false,
    parseOptions: { maxTokens: policy.maxTokens },
    formatError: createErrorFormatter(logger, { production }),
    plugins: [
      admission(policy),
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginInlineTraceDisabled(),
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

/** The rules that hold for every transport, at the moment when Apollo knows the operation. */
function admission(policy: OperationPolicy): ApolloServerPlugin<Context> {
  return {
    requestDidStart: async () => ({
      didResolveOperation: async ({ document, operation, contextValue }) => {
        if (operation === undefined) return
        const refusal = routerRefusal(document, operation, policy, contextValue.fromRouter)
        if (refusal !== null) throw refusal
        if (operation.operation === OperationTypeNode.SUBSCRIPTION) throw needsSocket()
      },
    }),
  }
}

function needsSocket(): GraphQLError {
  return new GraphQLError('Subscriptions run over WebSocket, with the subprotocol graphql-transport-ws.', {
    extensions: { code: 'BAD_REQUEST', http: { status: 400 } },
  })
}

/** Apollo's own lines, without their text: it may quote a request. */
function quiet(logger: Logger) {
  const line = (level: 'debug' | 'info' | 'warn' | 'error') => () =>
    logger[level]({}, 'Apollo Server has something to say')
  return { debug: () => {}, info: () => {}, warn: line('warn'), error: line('error') }
}

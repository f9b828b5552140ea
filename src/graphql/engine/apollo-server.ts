import { AsyncLocalStorage } from 'node:async_hooks'
import { ApolloServer, type ApolloServerOptionsWithSchema, type ApolloServerPlugin, HeaderMap } from '@apollo/server'
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
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

export type ApolloOptions = {
  /** Creates a schema for Apollo Server alone, which replaces each of its resolvers by one that calls plugins. */
  readonly createSchema: () => GraphQLSchema
  readonly formatError: ErrorFormatter
  readonly production: boolean
  readonly logger: Logger
  readonly plugins: readonly ApolloServerPlugin<Context>[]
}

/**
 * Returns options for an Apollo Server that shows errors as this subgraph does. All of its features that the subgraph does not use
 * are off. `tracesForAll`: whoever sends the header for traces gets one.
 */
export function apolloServerOptions(
  { createSchema, formatError, production, logger, plugins }: ApolloOptions,
  { tracesForAll }: { readonly tracesForAll: boolean },
) {
  const given = new Set(plugins.map(internalId))
  const defaults: ApolloServerPlugin<Context>[] = [
    ApolloServerPluginCacheControlDisabled(),
    // A trace contains the position of an error, without its message.
    tracesForAll
      ? ApolloServerPluginInlineTrace({ includeErrors: { masked: true } })
      : ApolloServerPluginInlineTraceDisabled(),
    ApolloServerPluginLandingPageDisabled(),
    ApolloServerPluginSchemaReportingDisabled(),
    ApolloServerPluginUsageReportingDisabled(),
  ]
  return {
    schema: createSchema(),
    // The admission decides about introspection.
    introspection: true,
    includeStacktraceInErrorResponses: false,
    hideSchemaDetailsFromClientErrors: production,
    persistedQueries: false,
    allowBatchedHttpRequests: false,
    stopOnTerminationSignals: false,
    formatError,
    plugins: [...defaults.filter((plugin) => !given.has(internalId(plugin))), ...plugins],
    logger: quiet(logger),
    nodeEnv: production ? 'production' : 'development',
  } satisfies ApolloServerOptionsWithSchema<Context>
}

/** Returns the id of a plugin of Apollo Server itself, which refuses two with one id. A plugin of others is its own id. */
function internalId(plugin: ApolloServerPlugin<Context>): unknown {
  return '__internal_plugin_id__' in plugin ? plugin.__internal_plugin_id__ : plugin
}

/** A started Apollo Server. */
export type StartedApollo = {
  /** Runs a query or a mutation. Plugins see these headers. */
  answer(
    operation: AdmittedOperation,
    context: Context,
    headers: readonly (readonly [string, string])[],
  ): Promise<Answer>
  stop(): Promise<void>
}

/**
 * Starts an Apollo Server, for its plugins alone. It receives admitted documents, so it neither parses nor validates. Rejects if a plugin does
 * not start.
 */
export async function startApollo(options: ApolloOptions): Promise<StartedApollo> {
  const admittedDocument = new AsyncLocalStorage<DocumentNode>()
  const server = new ApolloServer<Context>({
    // Only requests of routers get here with the header.
    ...apolloServerOptions(options, { tracesForAll: true }),
    documentStore: { get: async () => admittedDocument.getStore(), set: async () => {}, delete: async () => {} },
  })
  await server.start()
  return {
    async answer({ document, request }, context, headers) {
      const { query, variables } = request
      const { status = 200, body } = await admittedDocument.run(document, () =>
        server.executeHTTPGraphQLRequest({
          httpGraphQLRequest: {
            method: 'POST',
            headers: new HeaderMap([['content-type', 'application/json'], ...headers]),
            search: '',
            body: { query, operationName: request.operationName, variables },
          },
          context: async () => cloneable(context),
        }),
      )
      if (body.kind !== 'complete') throw new TypeError('Apollo Server answered in parts.')
      // Plugins must see each request, so the answer must not be shared.
      return { kind: 'answer', json: body.string, status, maxAgeS: null }
    },
    stop: () => server.stop(),
  }
}

/**
 * Returns a context whose loaders are those of the answer to the current mutation also in a copy: Apollo Server copies an object's own
 * properties, and keeps its prototype.
 */
export function cloneable(context: Context): Context {
  return Object.create(context) as Context
}

/** Creates a logger for Apollo Server that omits the text of its lines, because the text may quote a request. */
function quiet(logger: Logger) {
  const line = (level: 'debug' | 'info' | 'warn' | 'error') => () => logger[level]({}, 'Apollo Server wrote a line')
  return { debug: () => {}, info: () => {}, warn: line('warn'), error: line('error') }
}

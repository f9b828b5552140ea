import type { ApolloServerPlugin } from '@apollo/server'
import { createLibraryExecutor, createPlannedExecutor } from 'graphql-plan'
import type { AppConfig } from '../config.ts'
import type { Logger } from '../observability/logger.ts'
import type { Tracing } from '../observability/tracing/tracing.ts'
import { createAdmission, type OperationPolicy } from './admission/admission.ts'
import { createHideNames } from './admission/hidden-names.ts'
import { loadTrustedDocuments } from './admission/read-request.ts'
import type { Context, Services } from './context.ts'
import { createApolloExecution } from './engine/apollo-execution.ts'
import { createPublicAnswers } from './engine/cache-policy.ts'
import { createEngine, type Engine, type EngineOptions } from './engine/engine.ts'
import type { OwnApollo } from './engine/own-apollo.ts'
import { createErrorFormatter } from './error-formatter.ts'
import type { SchemaExtension } from './schema/schema-extension.ts'
import { createSchema } from './schema/schema.ts'

export type Graphql = Engine & {
  /** Returns the options of an Apollo Server of the program that embeds the subgraph, and the context of one of its requests. */
  ownApollo(): Promise<OwnApollo>
  stop(): Promise<void>
}

type GraphqlNeeds = {
  readonly services: Services
  readonly logger: Logger
  readonly tracing: Tracing | null
  readonly onEnded: EngineOptions['onEnded']
  readonly onDelivered: EngineOptions['onDelivered']
  readonly extension: SchemaExtension | null
  readonly plugins: readonly ApolloServerPlugin<Context>[]
}

/** Creates the schema and the engine. Rejects if the manifest of trusted documents cannot be read, or a plugin cannot start. */
export async function createGraphql(
  config: AppConfig,
  { services, logger, tracing, onEnded, onDelivered, extension, plugins }: GraphqlNeeds,
): Promise<Graphql> {
  const { production, limits, shortcuts, sdlScopes } = config
  const newSchema = () => createSchema({ production, sdlScopes, extension })
  const schema = newSchema()
  const policy = policyOf(config)
  const trusted = config.trustedDocuments === null ? null : loadTrustedDocuments(config.trustedDocuments)
  const formatError = createErrorFormatter({ logger, hideNames: policy.hideNames ? createHideNames(schema) : null })
  const apolloOptions = { createSchema: newSchema, formatError, production, logger, plugins }
  const apollo = createApolloExecution(apolloOptions)
  await apollo.start()
  const { admit } = createAdmission({ schema, policy, trusted })
  const execute = shortcuts.includes('compiledExecutor') ? createPlannedExecutor(schema) : createLibraryExecutor(schema)
  const publicAnswers = shortcuts.includes('publicAnswers') ? createPublicAnswers(services.methods.version) : null
  const { timeoutMs } = limits
  return {
    ...createEngine({
      schema,
      services,
      admit,
      execute,
      publicAnswers,
      formatError,
      timeoutMs,
      // A field of others may depend on the caller.
      sharesExecutions: shortcuts.includes('sharedExecutions') && extension === null,
      apollo,
      logger,
      tracing,
      onEnded,
      onDelivered,
    }),
    async ownApollo() {
      const { createOwnApollo } = await import('./engine/own-apollo.ts')
      return createOwnApollo({ ...apolloOptions, services, admit })
    },
    stop: apollo.stop,
  }
}

function policyOf({ limits, production, router }: AppConfig): OperationPolicy {
  return { limits, introspection: !production, routerOnly: router.kind === 'guarded', hideNames: production }
}

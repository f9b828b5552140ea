import { createLibraryExecutor, createPlannedExecutor } from 'graphql-plan'
import type { AppConfig } from '../config.ts'
import type { Logger } from '../observability/logger.ts'
import type { Tracing } from '../observability/tracing/tracing.ts'
import { createAdmission, type OperationPolicy } from './admission/admission.ts'
import { createHideNames } from './admission/hidden-names.ts'
import { loadTrustedDocuments } from './admission/read-request.ts'
import type { Services } from './context.ts'
import { createPublicAnswers } from './engine/cache-policy.ts'
import { createEngine, type Engine } from './engine/engine.ts'
import { createFederatedTraces } from './engine/federated-traces.ts'
import { createErrorFormatter } from './error-formatter.ts'
import type { SchemaExtension } from './schema/schema-extension.ts'
import { createSchema } from './schema/schema.ts'

export type Graphql = Engine & { stop(): Promise<void> }

type GraphqlNeeds = {
  readonly services: Services
  readonly logger: Logger
  readonly tracing: Tracing | null
  readonly extension: SchemaExtension | null
}

/** Creates the schema and the engine. Throws if the manifest of trusted documents cannot be read. */
export function createGraphql(config: AppConfig, { services, logger, tracing, extension }: GraphqlNeeds): Graphql {
  const { production, limits, shortcuts, sdlScopes } = config
  const newSchema = () => createSchema({ production, sdlScopes, extension })
  const schema = newSchema()
  const policy = policyOf(config)
  const trusted = config.trustedDocuments === null ? null : loadTrustedDocuments(config.trustedDocuments)
  const formatError = createErrorFormatter({ logger, hideNames: policy.hideNames ? createHideNames(schema) : null })
  const traces = createFederatedTraces({ createSchema: newSchema, formatError, production, logger })
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
      traces,
      logger,
      tracing,
    }),
    stop: traces.stop,
  }
}

function policyOf({ limits, production, router }: AppConfig): OperationPolicy {
  return { limits, introspection: !production, routerOnly: router.kind === 'guarded', hideNames: production }
}

import { createAdmission } from '../graphql/admission/admission.ts'
import { createHideNames } from '../graphql/admission/hidden-names.ts'
import type { OperationPolicy } from '../graphql/admission/operation-policy.ts'
import { loadTrustedDocuments } from '../graphql/admission/read-request.ts'
import type { Services } from '../graphql/context.ts'
import { createPublicAnswers } from '../graphql/engine/cache-policy.ts'
import { createEngine, type Engine } from '../graphql/engine/engine.ts'
import { createFederatedTraces } from '../graphql/engine/federated-traces.ts'
import { createErrorFormatter } from '../graphql/error-formatter.ts'
import { createLibraryExecutor, createPlannedExecutor } from '../graphql/execution/executor.ts'
import { createSchema } from '../graphql/schema/schema.ts'
import type { Logger } from '../observability/logger.ts'
import type { Tracing } from '../observability/tracing/tracing.ts'
import type { AppConfig } from './app-config.ts'

/** The engine, and what is known about the operations that clients may send. */
export type StartedEngine = Engine & {
  /** Names of all mutations. */
  readonly mutations: readonly string[]
  /** Returns the text of a trusted document by its id; null if there is none. */
  readonly trustedDocument: (id: string) => string | null
  /** Loads the modules that operations with a federated trace need, so that the first one need not wait for them. */
  loadTraces(): Promise<void>
  stop(): Promise<void>
}

type EngineOptions = { readonly services: Services; readonly logger: Logger; readonly tracing: Tracing | null }

/** Creates the schema and the engine. Throws if the manifest of trusted documents cannot be read. */
export function startEngine(config: AppConfig, { services, logger, tracing }: EngineOptions): StartedEngine {
  const { production, limits, executionShortcuts, sdlScopes } = config
  const schema = createSchema({ production, sdlScopes })
  const policy = policyOf(config)
  const trusted = config.trustedDocuments === null ? null : loadTrustedDocuments(config.trustedDocuments)
  const formatError = createErrorFormatter({ logger, hideNames: policy.hideNames ? createHideNames(schema) : null })
  const traces = createFederatedTraces({ schema, formatError, production, logger })
  const { admit } = createAdmission({ schema, policy, trusted })
  const execute = executionShortcuts ? createPlannedExecutor(schema) : createLibraryExecutor(schema)
  const publicAnswers = executionShortcuts ? createPublicAnswers(services.methods.version) : null
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
      executionShortcuts,
      traces,
      logger,
      tracing,
    }),
    mutations: Object.keys(schema.getMutationType()?.getFields() ?? {}),
    trustedDocument: (id) => trusted?.resolve({ id, query: null }) ?? null,
    loadTraces: traces.load,
    stop: traces.stop,
  }
}

function policyOf({ limits, production, router }: AppConfig): OperationPolicy {
  return { limits, introspection: !production, routerOnly: router.kind === 'guarded', hideNames: production }
}

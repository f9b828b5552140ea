import { createAdmission } from '../graphql/admission/admission.ts'
import { createHideNames } from '../graphql/admission/hidden-names.ts'
import type { OperationPolicy } from '../graphql/admission/operation-policy.ts'
import { loadTrustedDocuments } from '../graphql/admission/trusted-documents.ts'
import type { Services } from '../graphql/context.ts'
import { createEngine, type Engine } from '../graphql/engine/engine.ts'
import { createFederatedTraces } from '../graphql/engine/federated-traces.ts'
import { createPublicAnswers } from '../graphql/engine/public-answers.ts'
import { createErrorFormatter } from '../graphql/error-formatter.ts'
import { createLibraryExecutor, createPlannedExecutor } from '../graphql/execution/executor.ts'
import { createSchema } from '../graphql/schema/schema.ts'
import type { Logger } from '../observability/logger.ts'
import type { Tracing } from '../observability/tracing/tracing.ts'
import type { AppConfig } from './app-config.ts'

/** The engine, and what is known about the operations that it may be asked for. */
export type StartedEngine = Engine & {
  /** Names of all mutations. */
  readonly mutations: readonly string[]
  /** The text of a trusted document by its id; null where there is none. */
  readonly trustedDocument: (id: string) => string | null
  /** Loads what is first needed by an operation with a federated trace, so that it need not wait for that. */
  loadTraces(): Promise<void>
  stop(): Promise<void>
}

type EngineOptions = { readonly services: Services; readonly logger: Logger; readonly tracing: Tracing | null }

/** Makes the schema and the engine over it. Throws when the manifest of trusted documents cannot be read. */
export function startEngine(config: AppConfig, { services, logger, tracing }: EngineOptions): StartedEngine {
  const { production, limits, executionShortcuts } = config
  const schema = createSchema({ production })
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

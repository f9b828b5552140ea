import type { ApolloServer } from '@apollo/server'
import type { GraphQLSchema } from 'graphql'
import { createOperationGate, type OperationGate } from '../graphql/admission/admission.ts'
import { createHideNames } from '../graphql/admission/hidden-names.ts'
import type { OperationPolicy } from '../graphql/admission/operation-policy.ts'
import { loadTrustedDocuments } from '../graphql/admission/trusted-documents.ts'
import type { Context } from '../graphql/context.ts'
import { startApollo } from '../graphql/engine/apollo.ts'
import { createErrorFormatter, type ErrorFormatter } from '../graphql/errors.ts'
import { createSchema } from '../graphql/schema/schema.ts'
import type { Logger } from '../log.ts'
import type { Tracing } from '../tracing/tracing.ts'
import type { AppConfig } from './app-config.ts'

/** What runs operations, whichever transport brings them. */
export type Engine = {
  readonly schema: GraphQLSchema
  /** The gate that every operation passes. */
  readonly prepare: OperationGate['prepare']
  readonly formatError: ErrorFormatter
  /** The text of a trusted document by its id; null where there is none. */
  readonly trustedDocument: (id: string) => string | null
  /** Runs what comes over HTTP and is answered at once. */
  readonly apollo: ApolloServer<Context>
}

type EngineOptions = { readonly logger: Logger; readonly tracing: Tracing | null }

/** Makes the schema, and what admits and runs operations. Rejects when the manifest of trusted documents cannot be read. */
export async function startEngine(config: AppConfig, { logger, tracing }: EngineOptions): Promise<Engine> {
  const { production } = config
  const schema = createSchema({ production })
  const policy = policyOf(config)
  const trusted = config.trustedDocuments === null ? null : loadTrustedDocuments(config.trustedDocuments)
  const { prepare } = createOperationGate({ schema, policy, trusted })
  const formatError = createErrorFormatter({ logger, hideNames: policy.hideNames ? createHideNames(schema) : null })
  const apollo = await startApollo({ schema, formatError, production, logger, tracing })
  const trustedDocument = (id: string) => trusted?.resolve({ id, query: null }) ?? null
  return { schema, prepare, formatError, trustedDocument, apollo }
}

function policyOf({ limits, production, router }: AppConfig): OperationPolicy {
  return { limits, introspection: !production, routerOnly: router.kind === 'guarded', hideNames: production }
}

import {
  execute,
  GraphQLError,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
  type OperationTypeNode,
} from 'graphql'
import type { Caller } from '../../access/caller.ts'
import type { Logger } from '../../log.ts'
import type { Tracing } from '../../tracing/tracing.ts'
import { within } from '../../within.ts'
import type { Admission, AdmittedOperation } from '../admission/admission.ts'
import type { OperationRequest } from '../admission/read-request.ts'
import { createContext, type Context, type Services } from '../context.ts'
import type { ErrorFormatter } from '../errors.ts'
import { createCachePolicy } from './cache-policy.ts'
import { createFanOut, type Execute } from './fan-out.ts'
import type { FederatedTraces } from './federated-traces.ts'
import type { Answer, Outcome, Refusal } from './outcome.ts'
import { subscribe } from './subscribe.ts'
import { describeSpan, recordErrors } from './trace-operation.ts'

export type OperationKind = `${OperationTypeNode}`

/** Who asks, and what their transport can carry. */
export type Asker = {
  readonly caller: Caller
  /** The request came with the router's secret, or none is asked for. */
  readonly fromRouter: boolean
  /** The router asks how long each field takes. */
  readonly wantsTrace?: boolean
  /** Cursor that a client which comes back has named beside the operation; it outranks the operation's own. */
  readonly resumeAfter?: string | undefined
  /** Refuses an operation that the transport cannot carry. Called once, before the operation begins. */
  readonly refuse?: (kind: OperationKind) => GraphQLError | null
}

/** The only way to execute GraphQL, for every transport. */
export type Engine = {
  /** Admits a request and runs it. Never rejects. */
  run(request: OperationRequest, asker: Asker): Promise<Outcome>
  /** The refusal of a request with these errors, as a client sees them. */
  refuse(errors: readonly GraphQLError[]): Refusal
}

export type EngineOptions = {
  readonly schema: GraphQLSchema
  readonly services: Services
  readonly admit: Admission['admit']
  readonly formatError: ErrorFormatter
  /** How long the answer to a query or a mutation may take, in milliseconds. */
  readonly timeoutMs: number
  /** Whether streams share executions. */
  readonly executionShortcuts: boolean
  readonly traces: FederatedTraces
  readonly logger: Logger
  readonly tracing: Tracing | null
}

type Execution = ExecutionArgs & { readonly contextValue: Context }

export function createEngine(options: EngineOptions): Engine {
  const { schema, services, admit, timeoutMs, traces, logger, tracing } = options
  const cachePolicy = createCachePolicy(schema)
  const shown = (errors: readonly GraphQLError[]) => {
    const formatted = errors.map((error) => options.formatError(error.toJSON(), error))
    recordErrors(tracing?.current, formatted)
    return formatted
  }
  const serialise = ({ data, errors }: ExecutionResult) =>
    JSON.stringify({
      ...(errors === undefined ? {} : { errors: shown(errors) }),
      ...(data === undefined ? {} : { data }),
    })
  const text: Execute = (execution) => {
    const result = execute(execution)
    return 'then' in result ? result.then(serialise) : serialise(result)
  }
  const fanOut = createFanOut({ schema, services, execute: text, isShared: options.executionShortcuts, logger })
  const refuse = (errors: readonly GraphQLError[]): Refusal => ({
    kind: 'refusal',
    errors: shown(errors),
    status: httpOf(errors)?.status ?? 400,
    challenge: httpOf(errors)?.challenge ?? null,
  })
  const answer = (result: ExecutionResult, maxAgeS: number | null): Answer => ({
    kind: 'answer',
    json: serialise(result),
    status: httpOf(result.errors ?? [])?.status ?? 200,
    maxAgeS,
  })
  const answerOnce = async (operation: AdmittedOperation, execution: Execution): Promise<Answer> => {
    const result = await within(Promise.resolve(execute(execution)), timeoutMs, () => ({ errors: [tookTooLong()] }))
    const isCommon = result.errors === undefined && !execution.contextValue.freshness.isStale()
    return answer(result, isCommon ? cachePolicy(operation.document, operation.node) : null)
  }

  return {
    refuse,
    async run(request, { caller, fromRouter, wantsTrace = false, resumeAfter, ...asker }) {
      const operation = admit(request, fromRouter)
      if ('errors' in operation) return refuse(operation.errors)
      const { node, document } = operation
      const refused = asker.refuse?.(node.operation) ?? null
      if (refused !== null) return refuse([refused])
      describeSpan(tracing?.current, node)
      const context = createContext(services, caller, resumeAfter)
      const execution = {
        schema,
        document,
        operationName: node.name?.value,
        variableValues: operation.request.variables,
        contextValue: context,
      }
      if (node.operation === 'subscription') {
        const started = await subscribe(execution, operation, { fanOut, serialise, logger })
        return 'next' in started ? started : answer(started, null)
      }
      if (wantsTrace)
        return within(traces.answer(operation, context), timeoutMs, () => answer({ errors: [tookTooLong()] }, null))
      return answerOnce(operation, execution)
    },
  }
}

/** The answer took longer than an operation may. Whether a command was carried out is not known to the client. */
function tookTooLong(): GraphQLError {
  return new GraphQLError('The answer took too long. What a mutation has begun goes on: ask again with the same key.', {
    extensions: { code: 'OPERATION_TIMEOUT', http: { status: 504 } },
  })
}

function httpOf(errors: readonly GraphQLError[]) {
  return errors.find(({ extensions }) => extensions['http'] !== undefined)?.extensions['http'] as
    | { readonly status?: number; readonly challenge?: string }
    | undefined
}

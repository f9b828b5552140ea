import type { IncomingHttpHeaders } from 'node:http'
import type { Span } from '@opentelemetry/api'
import {
  GraphQLError,
  OperationTypeNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type GraphQLFormattedError,
} from 'graphql'
import type { ExecutedText, Execute } from 'graphql-plan'
import type { Caller } from '../../access/caller.ts'
import type { PaymentEvent } from '../../domain/events/payment-event.ts'
import { withTimeout } from '../../lib/timers.ts'
import type { Logger } from '../../observability/logger.ts'
import type { ObservedOperation } from '../../observability/metrics/request-metrics.ts'
import type { Tracing } from '../../observability/tracing/tracing.ts'
import type { Admission, AdmittedOperation } from '../admission/admission.ts'
import type { OperationRequest } from '../admission/read-request.ts'
import { createContext, type Context, type Services } from '../context.ts'
import { type ErrorFormatter, isOfOutage } from '../error-formatter.ts'
import type { ApolloExecution } from './apollo-execution.ts'
import { createCachePolicy, type PublicAnswers } from './cache-policy.ts'
import { createFanOut, type AnswerItem } from './fan-out.ts'
import type { Answer, RequestOutcome, Refusal } from './request-outcome.ts'
import { subscribe } from './subscribe.ts'

export type OperationKind = `${OperationTypeNode}`

/** The caller, and what its transport supports. */
export type Requester = {
  readonly caller: Caller
  /** True if the request has the router's secret, or if none is configured. */
  readonly fromRouter: boolean
  /** The text of the whole request; the key by which a public answer is kept. */
  readonly text?: string
  /** True if the router requests a federated trace. */
  readonly wantsTrace?: boolean
  /** Headers of the request, of which plugins see the name and version of the client. */
  readonly headers?: IncomingHttpHeaders
  /** Cursor that a reconnecting client sent outside of the operation; it takes precedence over the operation's own. */
  readonly resumeAfter?: string | undefined
  /** Status tokens that were sent outside of the operation, for queries and mutations. */
  readonly statusTokens?: readonly string[]
  /**
   * Returns the error if the transport does not support the operation, or there is too much to do; otherwise null. Called once, before the
   * operation runs.
   */
  readonly refuse?: (kind: OperationKind) => GraphQLError | null | Promise<GraphQLError | null>
}

/** The only way to execute GraphQL, for every transport. */
export type Engine = {
  /** Admits a request and runs it. Errors of the operation are part of the outcome; rejects only on an internal fault. */
  run(request: OperationRequest, requester: Requester): Promise<RequestOutcome>
  /**
   * Returns the answer to a recent equal request if it is equal for all callers; otherwise null. `text` is that of the request, as
   * in `Requester`.
   */
  recall(text: string, fromRouter: boolean): Answer | null
  /** Names the current span by the operation of a recalled answer, and counts the operation. */
  describeRecalled(answer: Answer): void
  /** Returns the refusal of a request with these errors, formatted for clients. */
  refuse(errors: readonly GraphQLError[]): Refusal
}

export type EngineOptions = {
  readonly schema: GraphQLSchema
  readonly services: Services
  readonly admit: Admission['admit']
  readonly execute: Execute<Context>
  readonly publicAnswers: PublicAnswers | null
  readonly formatError: ErrorFormatter
  /** Timeout of queries and mutations, in milliseconds. */
  readonly timeoutMs: number
  /** True if streams share executions. */
  readonly sharesExecutions: boolean
  readonly apollo: Pick<ApolloExecution, 'answer' | 'hasPlugins'>
  readonly logger: Logger
  readonly tracing: Tracing | null
  /** Called when a request has been answered or refused, and when a subscription has begun. */
  readonly onEnded: (operation: ObservedOperation) => void
  /** Called when a live event is handed to a transport, with the seconds since it was recorded. */
  readonly onDelivered: (seconds: number) => void
}

/** Creates the engine for a schema; the executor is passed in. */
export function createEngine(options: EngineOptions): Engine {
  const { schema, services, admit, execute, publicAnswers, timeoutMs, apollo, logger, tracing, onEnded } = options
  const cachePolicy = createCachePolicy(schema)
  /** Operations of public answers, to name those of requests that are answered from the cache. */
  const recallable = new WeakMap<Answer, AdmittedOperation>()
  const shown = (errors: readonly GraphQLError[]) => {
    const formatted = errors.map((error) => options.formatError(error.toJSON(), error))
    recordErrors(tracing?.current, formatted)
    return formatted
  }
  const jsonOf = ({ data, errors }: Executed, formatted = shown(errors)): string => {
    const shownErrors = errors.length === 0 ? '' : `"errors":${JSON.stringify(formatted)}`
    const shownData = data === null ? '' : `"data":${data}`
    return `{${shownErrors}${shownErrors === '' || shownData === '' ? '' : ','}${shownData}}`
  }
  const executeInOrder: Execute<Context> = (operation, context, item) => {
    const executing = execute(operation, context, item)
    return executing instanceof Promise ? executing.then(withErrorsInOrder) : withErrorsInOrder(executing)
  }
  const answerItem: AnswerItem = (operation, context, item) => {
    const executing = executeInOrder(operation, context, item)
    return executing instanceof Promise ? executing.then(jsonOf) : jsonOf(executing)
  }
  const fanOut = createFanOut({ services, answerItem, isShared: options.sharesExecutions, logger })
  const onDelivered = timeDeliveries(services.clock, options)
  const errorText = (error: GraphQLError) => jsonOf({ data: null, errors: [error] })
  const refuse = (errors: readonly GraphQLError[]): Refusal => ({
    kind: 'refusal',
    errors: shown(errors),
    status: httpOf(errors)?.status ?? 400,
    challenge: httpOf(errors)?.challenge ?? null,
  })
  const answer = (executed: Executed, maxAgeS: number | null): Answer => {
    const { errors } = executed
    if (errors.length === 0) return { kind: 'answer', json: jsonOf(executed), status: 200, maxAgeS }
    const formatted = shown(errors)
    const code = gravest(formatted)
    const status = httpOf(errors)?.status ?? (errors.some(isOfOutage) ? 503 : 200)
    return { kind: 'answer', json: jsonOf(executed, formatted), status, code, maxAgeS }
  }
  const answerOnce = async (operation: AdmittedOperation, context: Context): Promise<Answer> => {
    const executing = executeInOrder(operation, context)
    const executed = executing instanceof Promise ? await withTimeout(executing, timeoutMs, tooLate) : executing
    const isCommon = executed.errors.length === 0 && !context.freshness.isStale()
    return answer(executed, isCommon ? cachePolicy(operation.document, operation.node) : null)
  }

  return {
    refuse,
    async run(request, requester) {
      const startedAt = performance.now()
      const { caller, fromRouter, text, wantsTrace = false, headers = {}, resumeAfter, statusTokens = [] } = requester
      const operation = admit(request, fromRouter, text?.length)
      const kind = 'errors' in operation ? UNKNOWN : operation.node.operation
      const name = 'errors' in operation ? OTHER : nameOf(operation)
      const ended = <Outcome extends RequestOutcome>(outcome: Outcome): Outcome => {
        onEnded({ kind, name, outcome: codeOf(outcome), milliseconds: performance.now() - startedAt })
        return outcome
      }
      try {
        if ('errors' in operation) return ended(refuse(operation.errors))
        const { node } = operation
        const refusing = requester.refuse?.(node.operation) ?? null
        const refused = refusing instanceof Promise ? await refusing : refusing
        if (refused !== null) return ended(refuse([refused]))
        describeSpan(tracing?.current, node)
        const isStream = node.operation === OperationTypeNode.SUBSCRIPTION
        const context = createContext(services, caller, { resumeAfter, statusTokens: isStream ? [] : statusTokens })
        if (isStream) {
          const started = await subscribe(schema, operation, { context, fanOut, errorText, onDelivered, logger })
          return ended('pull' in started ? started : answer({ data: null, errors: started }, null))
        }
        if (wantsTrace || apollo.hasPlugins) {
          const answering = apollo.answer(operation, context, { wantsTrace, headers })
          return ended(withCode(await withTimeout(answering, timeoutMs, () => answer(tooLate(), null))))
        }
        const version = publicAnswers?.version()
        const made = await answerOnce(operation, context)
        if (text !== undefined && version !== undefined && made.maxAgeS !== null) {
          const isKept = publicAnswers?.keep(recallKey(text, fromRouter), made, version)
          if (isKept === true) recallable.set(made, operation)
        }
        return ended(made)
      } catch (error) {
        onEnded({ kind, name, outcome: INTERNAL, milliseconds: performance.now() - startedAt })
        throw error
      }
    },
    recall(text, fromRouter) {
      // Most requests of a router, whose answers are private: the look-up would take a hash of the whole text.
      if (fromRouter && text.includes('_entities')) return null
      return publicAnswers?.find(recallKey(text, fromRouter)) ?? null
    },
    describeRecalled(recalled) {
      const operation = recallable.get(recalled)
      if (operation === undefined) return
      describeSpan(tracing?.current, operation.node)
      onEnded({ kind: operation.node.operation, name: nameOf(operation), outcome: SUCCESS, milliseconds: 0 })
    },
  }
}

/** Returns what times the delivery of events. The time of an event is parsed once for all of its streams. */
function timeDeliveries(
  clock: () => Date,
  { onDelivered, tracing }: Pick<EngineOptions, 'onDelivered' | 'tracing'>,
): (event: PaymentEvent) => void {
  let last: PaymentEvent | null = null
  let recordedAt = 0
  return (event) => {
    if (event !== last) {
      recordedAt = Date.parse(event.recordedAt)
      last = event
      const { payment, agreement, payout, gatewayPayment } = event
      const key = (payment ?? agreement ?? payout ?? gatewayPayment)?.id
      if (event.source === 'WEBHOOK' && key !== undefined) tracing?.delivered({ ...event, key })
    }
    onDelivered(Math.max(clock().getTime() - recordedAt, 0) / 1_000)
  }
}

/** Returns the cache key of a public answer. The router has its own keys, because more operations are allowed to it. */
function recallKey(text: string, fromRouter: boolean): string {
  return fromRouter ? `router ${text}` : text
}

/** The result of an operation. `data` is null if the operation did not begin or did not end. */
type Executed = Omit<ExecutedText, 'data'> & { readonly data: string | null }

/** Sorts the errors, because the order in which they occur depends on what is cached. */
function withErrorsInOrder(executed: ExecutedText): ExecutedText {
  const { data, errors } = executed
  return errors.length < 2 ? executed : { data, errors: inDocumentOrder(errors) }
}

function tooLate(): Executed {
  return { data: null, errors: [tookTooLong()] }
}

/** Creates the error of an operation that exceeded its timeout. The outcome of a command is then unknown to the client. */
function tookTooLong(): GraphQLError {
  return new GraphQLError('The operation timed out. A mutation that has begun continues: retry with the same key.', {
    extensions: { code: 'OPERATION_TIMEOUT', http: { status: 504 } },
  })
}

function httpOf(errors: readonly GraphQLError[]) {
  return errors.find(({ extensions }) => extensions['http'] !== undefined)?.extensions['http'] as
    | { readonly status?: number; readonly challenge?: string }
    | undefined
}

const SUCCESS = 'success'
const INTERNAL = 'INTERNAL_SERVER_ERROR'
/** Kind of a request that is refused before its operation is known. */
const UNKNOWN = 'unknown'
/** Name of every operation that is no trusted document's: a metric must not have a stranger's texts as labels. */
const OTHER = 'other'

function nameOf({ node, request }: AdmittedOperation): string {
  return request.isTrusted ? (node.name?.value ?? OTHER) : OTHER
}

function codeOf(outcome: RequestOutcome): string {
  if (outcome.kind === 'refusal') return gravest(outcome.errors)
  return outcome.kind === 'answer' ? (outcome.code ?? SUCCESS) : SUCCESS
}

/** Returns the code of a fault of ours, or of the first error. */
function gravest(errors: readonly GraphQLFormattedError[]): string {
  const codes = errors.map(({ extensions }) => (typeof extensions?.['code'] === 'string' ? extensions['code'] : OTHER))
  return codes.find((code) => code === INTERNAL || code === 'UNAVAILABLE') ?? codes[0] ?? OTHER
}

/** Returns the answer of Apollo Server with the code of its errors. */
function withCode(answer: Answer): Answer {
  if (answer.code !== undefined || !answer.json.startsWith('{"errors"')) return answer
  const { errors } = JSON.parse(answer.json) as { readonly errors: readonly GraphQLFormattedError[] }
  const code = gravest(errors)
  return { ...answer, code, status: code === 'UNAVAILABLE' && answer.status === 200 ? 503 : answer.status }
}

const MAX_NAME = 64

/** Names the span of an operation by its kind and name; neither the document nor the variables are recorded. */
function describeSpan(span: Span | undefined, { operation, name }: OperationDefinitionNode): void {
  if (span === undefined) return
  const shown = name?.value.slice(0, MAX_NAME) ?? ''
  span.updateName(`${operation} ${shown}`.trimEnd()).setAttribute('graphql.operation.type', operation)
  if (shown !== '') span.setAttribute('graphql.operation.name', shown)
}

/** Records the codes of an operation's errors. */
function recordErrors(span: Span | undefined, errors: readonly GraphQLFormattedError[]): void {
  if (errors.length === 0) return
  span?.setAttribute('graphql.error.codes', [...new Set(errors.map(({ extensions }) => String(extensions?.['code'])))])
}

type Path = NonNullable<GraphQLError['path']>

/** Returns the errors sorted by the position of their field in the document; errors of one field by path. */
export function inDocumentOrder(errors: readonly GraphQLError[]): GraphQLError[] {
  return errors.toSorted(
    (a, b) => (a.positions?.[0] ?? 0) - (b.positions?.[0] ?? 0) || comparePaths(a.path ?? [], b.path ?? []),
  )
}

/** Compares paths by the first keys that differ: list indexes as numbers, names as strings. */
function comparePaths(a: Path, b: Path): number {
  for (const [at, key] of a.entries()) {
    const other = b[at]
    if (key === other) continue
    if (typeof key === 'number' && typeof other === 'number') return key - other
    return String(key) < String(other) ? -1 : 1
  }
  return 0
}

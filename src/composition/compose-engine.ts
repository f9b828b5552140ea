import { setImmediate } from 'node:timers/promises'
import { createLibraryExecutor, createPlannedExecutor } from 'graphql-plan'
import { Agent, type Dispatcher } from 'undici'
import { type Caller, ALL_SCOPES } from '../access/caller.ts'
import { createAdmission, type OperationPolicy } from '../graphql/admission/admission.ts'
import { createHideNames } from '../graphql/admission/hidden-names.ts'
import { loadTrustedDocuments } from '../graphql/admission/read-request.ts'
import type { Services } from '../graphql/context.ts'
import { createPublicAnswers } from '../graphql/engine/cache-policy.ts'
import { createEngine, type Engine } from '../graphql/engine/engine.ts'
import { createFederatedTraces } from '../graphql/engine/federated-traces.ts'
import { createErrorFormatter } from '../graphql/error-formatter.ts'
import { createSchema } from '../graphql/schema/schema.ts'
import { GRAPHQL_PATH } from '../http/server/exchange.ts'
import type { Logger } from '../observability/logger.ts'
import type { Tracing } from '../observability/tracing/tracing.ts'
import type { AppConfig } from './services.ts'

export type StartedEngine = Engine & { stop(): Promise<void> }

type EngineOptions = { readonly services: Services; readonly logger: Logger; readonly tracing: Tracing | null }

/** Creates the schema and the engine. Throws if the manifest of trusted documents cannot be read. */
export function startEngine(config: AppConfig, { services, logger, tracing }: EngineOptions): StartedEngine {
  const { production, limits, shortcuts, sdlScopes } = config
  const newSchema = () => createSchema({ production, sdlScopes })
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
      sharesExecutions: shortcuts.includes('sharedExecutions'),
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

/** An operation that changes nothing in the store and makes no call to the payments API. */
type Operation = { readonly query: string; readonly variables?: Readonly<Record<string, unknown>> }

const LINK = `id reference checkoutUrl state expiresAt requestedAmount { value currency exponent }
  payment { id status phase paid { value currency } } statusToken`

/** Rejected by our own validation before anything is sent: the description is empty. */
const REFUSED_LINK: Operation = {
  query: `mutation ($input: CreatePaymentLinkInput!) { createPaymentLink(input: $input) {
    __typename ... on CreatePaymentLinkSuccess { link { ${LINK} } } ... on PaymentsError { message } } }`,
  variables: {
    input: {
      idempotencyKey: 'warm-up',
      reference: 'warm-up',
      amount: { value: '1.00', currency: 'AUD' },
      description: '',
      customer: { email: 'warm-up@example.test', firstName: 'Warm', lastName: 'Up' },
    },
  },
}

export const WARM_UP_OPERATIONS: readonly Operation[] = [
  REFUSED_LINK,
  { query: `query ($id: ID!) { paymentLink(id: $id) { ${LINK} } }`, variables: { id: 'warm-up' } },
  { query: `{ paymentLinks(first: 5) { nodes { ${LINK} } pageInfo { hasNextPage endCursor } } }` },
  { query: '{ payment(id: "warm-up") { id status phase } }' },
  { query: '{ payments(first: 5) { nodes { id status phase amount { value currency } } pageInfo { hasNextPage } } }' },
  { query: '{ paymentEvents(first: 5) { nodes { id kind cursor } pageInfo { hasNextPage } } }' },
  { query: '{ paymentCurrencies { code exponent } }' },
]

const CALLER: Caller = {
  kind: 'client',
  subject: null,
  identity: null,
  scopes: new Set(ALL_SCOPES),
  expiresAt: Infinity,
}

export type WarmUpOptions = {
  readonly engine: Engine
  readonly services: Services
  /** Maximum duration in milliseconds; 0 for no warm-up. */
  readonly milliseconds: number
}

/**
 * The warm-up ends after this many rounds without a faster one; a round counts as faster below this share of the fastest, since
 * times vary.
 */
const STEADY_ROUNDS = 5
const FASTER = 0.9

/**
 * Detects when rounds of the same work have stopped getting faster, as they do while code is compiled. Call the returned function
 * after each round with its duration; it returns true once none of the last five rounds was at least a tenth faster than the
 * fastest before.
 */
export function createSteadyCheck(): (durationMs: number) => boolean {
  let fastestMs = Infinity
  let rounds = 0
  return (durationMs) => {
    const isFaster = durationMs < fastestMs * FASTER
    rounds = isFaster ? 0 : rounds + 1
    if (isFaster) fastestMs = durationMs
    return rounds >= STEADY_ROUNDS
  }
}

/**
 * Runs each kind of operation through the engine that serves clients, until they get no faster or the time is over: otherwise the
 * first clients of a process wait many times as long. Changes nothing in the store, and makes no call to the payments API.
 */
export async function warmUpEngine({ engine, services, milliseconds }: WarmUpOptions): Promise<void> {
  const until = performance.now() + milliseconds
  const isSteady = createSteadyCheck()
  for (;;) {
    const begun = performance.now()
    for (const operation of WARM_UP_OPERATIONS) {
      if (performance.now() >= until) return
      await engine.run(operation, { caller: CALLER, fromRouter: true })
      await services.store.commands.find({ mutation: 'createPaymentLink', key: 'warm-up', keyScope: 'warm-up' })
      await setImmediate()
    }
    if (isSteady(performance.now() - begun)) return
  }
}

/** The same over HTTP, for a server that listens at this URL. A failed request is not repeated. */
export async function warmUpServer(url: string, milliseconds: number): Promise<void> {
  const until = performance.now() + milliseconds
  const isSteady = createSteadyCheck()
  // A connection for each request, as a burst of new clients has. Not node:http: only this would load all of it.
  const agent = new Agent({ pipelining: 0, connect: { rejectUnauthorized: true } })
  for (let begun = performance.now(); begun < until; begun = performance.now())
    if (!(await post(agent, url, until)) || isSteady(performance.now() - begun)) break
  await agent.destroy()
}

/** Returns false if there was no response in time. */
async function post(agent: Dispatcher, url: string, until: number): Promise<boolean> {
  try {
    const { body } = await agent.request({
      origin: url,
      path: GRAPHQL_PATH,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"query":"{ paymentCurrencies { code } }"}',
      signal: AbortSignal.timeout(Math.max(1, Math.ceil(until - performance.now()))),
    })
    await body.dump()
    return true
  } catch {
    return false
  }
}

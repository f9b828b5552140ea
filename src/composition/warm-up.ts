import { setImmediate } from 'node:timers/promises'
import { Agent, type Dispatcher } from 'undici'
import type { Caller } from '../access/caller.ts'
import { ALL_SCOPES } from '../access/scopes.ts'
import type { Services } from '../graphql/context.ts'
import type { Engine } from '../graphql/engine/engine.ts'
import { GRAPHQL_PATH } from '../http/graphql/graphql-addresses.ts'

/** An operation that changes nothing here, and asks the payments API nothing. */
type Operation = { readonly query: string; readonly variables?: Readonly<Record<string, unknown>> }

const LINK = `id reference checkoutUrl state expiresAt requestedAmount { value currency exponent }
  payment { id status phase paid { value currency } } statusToken`

/** Refused by its own rules, which look at everything before anything is sent: the description is empty. */
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
  /** Milliseconds that it may take; 0 for none. */
  readonly milliseconds: number
}

/** Rounds in a row that bring no faster one before a warm-up ends, and the share of the fastest that counts as faster: times vary. */
const STEADY_ROUNDS = 5
const FASTER = 0.9

/**
 * Tells when rounds of the same work have stopped getting faster, as they do while code is compiled. To be called after each round
 * with its duration; true once the last five rounds were not faster, by a tenth, than the fastest before.
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
 * Answers each kind of operation to itself, through the engine that answers clients, until that gets no faster or the time is over:
 * the first clients of a process wait many times as long otherwise. Changes nothing in the store, and asks the payments API nothing.
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

/** The same for the way over HTTP, of a server that listens at this address. What fails is not tried again. */
export async function warmUpServer(url: string, milliseconds: number): Promise<void> {
  const until = performance.now() + milliseconds
  const isSteady = createSteadyCheck()
  // A connection for each request, as a burst of new clients has. Not node:http: only this would load all of it.
  const agent = new Agent({ pipelining: 0, connect: { rejectUnauthorized: true } })
  for (let begun = performance.now(); begun < until; begun = performance.now())
    if (!(await post(agent, url, until)) || isSteady(performance.now() - begun)) break
  await agent.destroy()
}

/** Gives false when there was no answer in time. */
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

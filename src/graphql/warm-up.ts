import { setImmediate } from 'node:timers/promises'
import { type Caller, ALL_SCOPES } from '../access/caller.ts'
import type { Services } from './context.ts'
import type { Engine } from './engine/engine.ts'

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
  name: null,
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

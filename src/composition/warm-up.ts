import { request } from 'node:http'
import { setImmediate } from 'node:timers/promises'
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

/** The compiler has seen enough of it by then. */
const ROUNDS = 30

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

/**
 * Answers each kind of operation to itself, through the engine that answers clients, until the code is compiled and the statements
 * are prepared or the time is over: the first clients of a process wait many times as long otherwise. Changes nothing in the store,
 * and asks the payments API nothing.
 */
export async function warmUpEngine({ engine, services, milliseconds }: WarmUpOptions): Promise<void> {
  const until = performance.now() + milliseconds
  for (let round = 0; round < ROUNDS; round += 1)
    for (const operation of WARM_UP_OPERATIONS) {
      if (performance.now() >= until) return
      await engine.run(operation, { caller: CALLER, fromRouter: true })
      await services.store.commands.find({ mutation: 'createPaymentLink', key: 'warm-up', keyScope: 'warm-up' })
      await setImmediate()
    }
}

/** The same for the way over HTTP, of a server that listens at this address. What fails is not tried again. */
export async function warmUpServer(url: string, milliseconds: number): Promise<void> {
  const until = performance.now() + milliseconds
  for (let round = 0; round < ROUNDS && performance.now() < until; round += 1)
    if (!(await post(`${url}${GRAPHQL_PATH}`, '{"query":"{ paymentCurrencies { code } }"}', until))) return
}

function post(url: string, body: string, until: number): Promise<boolean> {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  const signal = AbortSignal.timeout(Math.max(1, Math.ceil(until - performance.now())))
  return new Promise((resolve) => {
    const asked = request(url, { method: 'POST', headers, agent: false, signal }, (response) => {
      response.resume().once('close', () => resolve(true))
    })
    asked.once('error', () => resolve(false))
    asked.end(body)
  })
}

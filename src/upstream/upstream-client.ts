import { AsyncLocalStorage } from 'node:async_hooks'
import type { Tracing } from '../observability/tracing/tracing.ts'
import type { Site } from './client/sites.ts'
import { type AttemptSeen, createTransport, type TransportOptions } from './client/transport.ts'
import {
  type BalanceCalls,
  balanceCalls,
  type BankLookupCalls,
  bankLookupCalls,
  type DepositCalls,
  depositCalls,
} from './endpoints/account-endpoints.ts'
import { type PaymentAgreementCalls, paymentAgreementCalls } from './endpoints/agreement-endpoints.ts'
import { type CustomerCalls, customerCalls, type IdentityCalls, identityCalls } from './endpoints/customer-endpoints.ts'
import { type GatewayPaymentCalls, gatewayPaymentCalls } from './endpoints/gateway-endpoints.ts'
import {
  type PayinCalls,
  payinCalls,
  type PayinLinkCalls,
  payinLinkCalls,
  type PayinMethodCalls,
  payinMethodCalls,
} from './endpoints/payin-endpoints.ts'
import { type PayoutCalls, payoutCalls } from './endpoints/payout-endpoints.ts'
import { UpstreamFault } from './upstream-fault.ts'

type Calls = PayinMethodCalls &
  PayinLinkCalls &
  PayinCalls &
  PayoutCalls &
  PaymentAgreementCalls &
  GatewayPaymentCalls &
  BalanceCalls &
  BankLookupCalls &
  CustomerCalls &
  IdentityCalls &
  DepositCalls

/** All calls to the payments API. */
export type UpstreamClient = Calls & {
  /** Waits for running requests, then closes the connections. */
  close(): Promise<void>
  /** Returns how many requests of a site may still be repeated. */
  retriesLeft(siteId: string): number
}

/** An attempt of a call, by the name of the call, e.g. `getPayin`. */
export type CallAttempt = AttemptSeen & { readonly endpoint: string }

/** A rejected answer that was about something else than what was requested. */
export type Mismatch = {
  readonly siteId: string
  /** Name of the call, e.g. `getPayin`. */
  readonly operation: string
  /** Id that was requested, if the call takes one. */
  readonly subjectId: string | null
}

export type ClientOptions = Omit<TransportOptions, 'traceHeaders' | 'observe'> & {
  /** Called after each attempt, for metrics; the event contains no payer data and no secrets. */
  readonly observe?: (attempt: CallAttempt) => void
  readonly onMismatch?: (mismatch: Mismatch) => void
  /** Records each call as a span; null for no tracing. */
  readonly tracing?: Pick<Tracing, 'ask' | 'headers'> | null
}

/** Creates the client of the payments API. Throws `TypeError` for a base URL that is neither https nor on loopback. */
export function createUpstreamClient({
  onMismatch,
  observe,
  tracing = null,
  ...options
}: ClientOptions): UpstreamClient {
  const endpoints = new AsyncLocalStorage<string>()
  const transport = createTransport({
    ...options,
    observe: (attempt) => observe?.({ ...attempt, endpoint: endpoints.getStore() ?? 'other' }),
    ...(tracing === null ? {} : { traceHeaders: tracing.headers }),
  })
  const calls: Calls = {
    ...payinMethodCalls(transport),
    ...payinLinkCalls(transport),
    ...payinCalls(transport),
    ...payoutCalls(transport),
    ...paymentAgreementCalls(transport),
    ...gatewayPaymentCalls(transport),
    ...balanceCalls(transport),
    ...bankLookupCalls(transport),
    ...customerCalls(transport),
    ...identityCalls(transport),
    ...depositCalls(transport),
  }
  const named = wrapped(calls, (endpoint, call) => endpoints.run(endpoint, call))
  const watched = onMismatch === undefined ? named : withMismatchReports(named, onMismatch)
  return {
    ...(tracing === null ? watched : traced(watched, tracing)),
    close: () => transport.close(),
    retriesLeft: transport.retriesLeft,
  }
}

type Call = (site: Site, asked: unknown) => Promise<unknown>

/** Wraps the calls: `onMismatch` is called for each answer that was about something else. */
function withMismatchReports(calls: Calls, onMismatch: (mismatch: Mismatch) => void): Calls {
  const entries = Object.entries(calls as Record<string, Call>).map(([operation, call]): [string, Call] => [
    operation,
    async (site, asked) => {
      try {
        return await call(site, asked)
      } catch (error) {
        if (error instanceof UpstreamFault && error.code === 'unknown.mismatch')
          onMismatch({ siteId: site.id, operation, subjectId: subjectOf(operation, asked) })
        throw error
      }
    },
  ])
  return Object.fromEntries(entries) as Calls
}

/** Wraps the calls: each becomes a span with its name and site only, because arguments may contain payer data. */
function traced(calls: Calls, tracing: Pick<Tracing, 'ask'>): Calls {
  return wrapped(calls, (operation, call, site) =>
    tracing.ask(`service ${operation}`, { 'payments.site': site.id }, call),
  )
}

/** Returns the calls, each of which `wrap` runs. */
function wrapped(
  calls: Calls,
  wrap: (operation: string, call: () => Promise<unknown>, site: Site) => Promise<unknown>,
): Calls {
  const entries = Object.entries(calls as Record<string, Call>).map(([operation, call]): [string, Call] => [
    operation,
    (site, asked) => wrap(operation, () => call(site, asked), site),
  ])
  return Object.fromEntries(entries) as Calls
}

/** The calls whose argument is a single id. */
const BY_ID: ReadonlySet<string> = new Set([
  'getPayinLink',
  'getPayinLinkEntry',
  'getPayin',
  'getPayout',
  'cancelScheduledPayout',
  'cancelPayin',
  'getCustomer',
])

/** Returns ids only, because other arguments may contain payer data. */
function subjectOf(operation: string, asked: unknown): string | null {
  if (typeof asked === 'string') return BY_ID.has(operation) ? asked : null
  const { uuid, serviceId, clientTransactionId, reference } = { ...(asked as Record<string, unknown>) }
  return [uuid, serviceId, clientTransactionId, reference].find((id) => typeof id === 'string') ?? null
}

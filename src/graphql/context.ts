import { setImmediate } from 'node:timers/promises'
import DataLoader from 'dataloader'
import type { GraphQLError } from 'graphql'
import type { Caller } from '../access/caller.ts'
import type { Operations } from '../commands/operations.ts'
import type { AgreementReport } from '../domain/agreements/agreement-report.ts'
import type { Agreement } from '../domain/agreements/agreement.ts'
import type { Delivery } from '../domain/delivery.ts'
import type { GatewayPayment } from '../domain/gateway/gateway-payment.ts'
import type { PayinMethod } from '../domain/methods/payin-method.ts'
import type { Currency } from '../domain/money/money.ts'
import type { DirectPayin } from '../domain/payments/direct-payin.ts'
import type { PaymentEvent } from '../domain/payments/payment-event.ts'
import type { PaymentLink } from '../domain/payments/payment-link.ts'
import type { Payer } from '../domain/payments/payment-report.ts'
import type { DuplicatePayment, Payment } from '../domain/payments/payment.ts'
import type { PayoutMethod, PayoutPayee } from '../domain/payouts/payout-report.ts'
import type { CursorCodec } from '../keys/cursor.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import type { PayoutLookup } from '../lookups/find-payouts.ts'
import type { Health } from '../lookups/health.ts'
import type { MethodRequirementsReader } from '../lookups/method-requirements.ts'
import type { SigningKeys } from '../retention/signing-keys.ts'
import type { RefundRequestRow } from '../store/rows/command-rows.ts'
import type { Store, RowsById } from '../store/store.ts'
import type { FollowServices } from '../streams/follow.ts'
import type { MethodCache } from '../upstream/methods/method-cache.ts'
import type { PayinMethodLists } from '../upstream/methods/payin-method-lists.ts'
import { type AnswerFreshness, createAnswerFreshness } from './engine/cache-policy.ts'
import { failedRead } from './error-formatter.ts'
import { payoutView, type PayoutView } from './views/views.ts'

/** Dependencies that live as long as the process. */
export type Services = FollowServices & {
  readonly store: Store
  readonly methods: PayinMethodLists
  readonly payoutMethods: MethodCache<PayoutMethod>
  /** Reads the required fields of a method; null if the payments API does not provide them. */
  readonly requirements: MethodRequirementsReader
  readonly operations: Operations
  readonly health: Health
  readonly keys: KeyRing
  readonly signingKeys: Pick<SigningKeys, 'report'>
  readonly cursors: CursorCodec
  readonly isEnabled: (currency: Currency) => boolean
}

/** The context of resolvers. Loaders live as long as one answer, so that no answer contains data that was read for an earlier one. */
export type Context = Services & {
  /** The same services, for code that runs longer than the answer takes. */
  readonly services: Services
  readonly caller: Caller
  readonly loaders: Loaders
  /** Records whether a part of the answer is stale, so that no cache may keep the answer. */
  readonly freshness: AnswerFreshness
  /** Cursor that a reconnecting client sent outside of the operation; it takes precedence over the operation's own. */
  readonly resumeAfter: string | undefined
}

/** What differs between answers. */
type Answering = {
  readonly resumeAfter?: string | undefined
  /** Whether the answer shows one instant, so that its clock stands from the first reading on. */
  readonly atOnce?: boolean
}

/** Creates the context of one answer. */
export function createContext(services: Services, caller: Caller, { resumeAfter, atOnce }: Answering = {}): Context {
  const freshness = createAnswerFreshness()
  const loaders = createLoaders(services, freshness.markStale)
  const clock = atOnce === true ? standing(services.clock) : services.clock
  return { ...services, services, caller, resumeAfter, clock, freshness, loaders }
}

function standing(clock: () => Date): () => Date {
  let first: Date | null = null
  return () => (first ??= clock())
}

/** Loads each row once per answer; synchronously if the store has it in memory. */
export type RowLoader<Row> = { load(id: string): Row | null | Promise<Row | null> }

/** The loaders of objects by key. Each key is read once per answer; keys requested in the same tick are read together. */
type Loaders = {
  readonly linkById: RowLoader<PaymentLink>
  readonly linkByRef: DataLoader<string, PaymentLink | null>
  readonly paymentById: RowLoader<Payment>
  readonly payerByPayment: DataLoader<string, Payer | null>
  readonly duplicateOf: DataLoader<string, DuplicatePayment | null>
  readonly refundRequest: DataLoader<string, RefundRequestRow | null>
  readonly payinByPayment: DataLoader<string, DirectPayin | null>
  readonly agreementById: DataLoader<string, Agreement | null>
  readonly agreementByClientId: DataLoader<string, Agreement | null>
  readonly agreementPayer: DataLoader<string, AgreementReport['payer'] | null>
  readonly eventById: DataLoader<string, PaymentEvent | null>
  readonly deliveryById: DataLoader<string, Delivery | null>
  readonly methodByCode: DataLoader<string, PayinMethod | null>
  readonly payoutById: DataLoader<string, PayoutView | null>
  readonly payeesByPayout: DataLoader<string, readonly PayoutPayee[] | null>
  readonly gatewayPaymentById: DataLoader<string, GatewayPayment | null>
}

type LoaderSources = {
  readonly store: Store
  readonly methods: Pick<PayinMethodLists, 'find'>
  readonly operations: Pick<Operations, 'payoutsByIds'>
}

/**
 * Creates the loaders of one answer; each is created on first use. An unknown key loads null. A failed read of the store rejects
 * every key of its batch; a failed read of a payout rejects only its own key. `onStale` is called if a payin method, or its absence,
 * comes from lists that are not current.
 */
export function createLoaders(sources: LoaderSources, onStale: () => void): Loaders {
  return new LazyLoaders(sources, onStale) as unknown as Loaders
}

class LazyLoaders {
  readonly sources: LoaderSources
  readonly onStale: () => void

  constructor(sources: LoaderSources, onStale: () => void) {
    this.sources = sources
    this.onStale = onStale
  }
}

type Make<Loader> = (sources: LoaderSources, onStale: () => void) => Loader

const MAKE: { readonly [Name in keyof Loaders]: Make<Loaders[Name]> } = {
  linkById: ({ store }) => rowLoader(store.links, (link) => link.id),
  linkByRef: ({ store }) => loader(store.links.byRefs, (link) => link.ref),
  paymentById: ({ store }) => rowLoader(store.payments, (payment) => payment.id),
  payerByPayment: ({ store }) => mapLoader(store.payments.payers),
  duplicateOf: ({ store }) => mapLoader(store.payments.duplicates),
  refundRequest: ({ store }) => mapLoader(store.payments.refundRequests),
  payinByPayment: ({ store }) => loader(store.payments.payins, (payin) => payin.paymentId),
  agreementById: ({ store }) => loader(store.agreements.byIds, (agreement) => agreement.id),
  agreementByClientId: ({ store }) =>
    loader(store.agreements.byClientTransactionIds, (agreement) => agreement.clientTransactionId ?? ''),
  agreementPayer: ({ store }) => mapLoader(store.agreements.payers),
  eventById: ({ store }) => loader(store.log.byIds, (event) => event.id),
  deliveryById: ({ store }) => loader(store.inbox.byIds, (delivery) => delivery.id),
  payoutById: ({ operations }) =>
    new DataLoader<string, PayoutView | null>(async (ids) =>
      (await inSlices(ids, operations.payoutsByIds)).map(loadedPayout),
    ),
  payeesByPayout: ({ store }) => mapLoader(store.payouts.payees),
  gatewayPaymentById: ({ store }) => loader(store.gatewayPayments.byIds, (payment) => payment.id),
  methodByCode: ({ methods }, onStale) =>
    new DataLoader((codes) => Promise.all(codes.map((code) => methods.find(code, onStale)))),
}

for (const [name, make] of Object.entries<Make<unknown>>(MAKE))
  Object.defineProperty(LazyLoaders.prototype, name, {
    get(this: LazyLoaders) {
      const value = make(this.sources, this.onStale)
      Object.defineProperty(this, name, { value })
      return value
    },
  })

/** Keys that are read at once: the items of the largest page. */
const SLICE = 100

/**
 * Reads keys slice by slice, and returns the items of all. Requests of others are served between two slices: a router may ask for a
 * thousand keys at once, and SQLite reads on the main thread.
 */
async function inSlices<Item>(
  keys: readonly string[],
  load: (slice: readonly string[]) => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  if (keys.length <= SLICE) return load(keys)
  const items: Item[] = []
  for (let start = 0; start < keys.length; start += SLICE) {
    if (start > 0) await setImmediate()
    items.push(...(await load(keys.slice(start, start + SLICE))))
  }
  return items
}

/** Creates a loader from a batch read that returns a map. */
function mapLoader<Value>(
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): DataLoader<string, Value | null> {
  return new DataLoader(async (keys) => {
    const found = new Map(await inSlices(keys, async (slice) => [...(await load(slice))]))
    return keys.map((key) => found.get(key) ?? null)
  })
}

function loadedPayout(found: PayoutLookup): PayoutView | GraphQLError | null {
  if (found.kind === 'done') return payoutView(found.payout, found.currencies)
  return found.kind === 'not-found' ? null : failedRead(found)
}

function rowLoader<Row>({ byIds, cached }: RowsById<Row>, idOf: (row: Row) => string): RowLoader<Row> {
  const asked = new Map<string, ReturnType<RowLoader<Row>['load']>>()
  let others: DataLoader<string, Row | null> | null = null
  return {
    load(id) {
      const known = asked.get(id)
      if (known !== undefined) return known
      const found = cached(id) ?? (others ??= loader(byIds, idOf)).load(id)
      asked.set(id, found)
      return found
    },
  }
}

/** Creates a loader from a batch read that returns the found rows in any order. */
function loader<Row>(
  load: (keys: readonly string[]) => Promise<readonly Row[]>,
  keyOf: (row: Row) => string,
): DataLoader<string, Row | null> {
  return new DataLoader(async (keys) => {
    const rows = new Map((await inSlices(keys, load)).map((row) => [keyOf(row), row]))
    return keys.map((key) => rows.get(key) ?? null)
  })
}

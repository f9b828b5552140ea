import { setImmediate } from 'node:timers/promises'
import DataLoader, { type BatchLoadFn } from 'dataloader'
import type { GraphQLError } from 'graphql'
import type { Operations } from '../commands/operations.ts'
import type { AgreementReport } from '../domain/agreements/agreement-report.ts'
import type { Agreement } from '../domain/agreements/agreement.ts'
import type { Command } from '../domain/command.ts'
import type { Delivery } from '../domain/delivery.ts'
import type { PaymentEvent } from '../domain/events/payment-event.ts'
import type { GatewayPayment } from '../domain/gateway/gateway-payment.ts'
import type { PayinMethod } from '../domain/methods/payin-method.ts'
import type { DirectPayin } from '../domain/payments/direct-payin.ts'
import type { PaymentLink } from '../domain/payments/payment-link.ts'
import type { PaymentNote } from '../domain/payments/payment-note.ts'
import type { Payer } from '../domain/payments/payment-report.ts'
import type { DuplicatePayment, Payment } from '../domain/payments/payment.ts'
import type { PayoutPayee } from '../domain/payouts/payout-report.ts'
import { isRecorded, type Payout } from '../domain/payouts/payout.ts'
import { unseal } from '../keys/derived-secrets.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import type { Store } from '../ledger/store.ts'
import type { Found, Sited, SitedContact, SitedCustomer } from '../lookups/find-customers.ts'
import type { PayoutLookup } from '../lookups/find-payouts.ts'
import type { RefundRequestRow } from '../store/rows/command-rows.ts'
import type { NewestOf } from '../streams/newest-states.ts'
import type { Tail } from '../streams/tail.ts'
import type { PayinMethodLists } from '../upstream/methods/payin-method-lists.ts'
import { failedRead } from './error-formatter.ts'
import { payoutView, type PayoutView } from './views/views.ts'

/** Loads each object once, so that all of an answer shows the same state of it; synchronously if that is in memory. */
export type RowLoader<Row> = {
  load(id: string): Row | null | Promise<Row | null>
  /** Returns what the answer shows of an object that was read otherwise: what it has loaded already, or the newest state that is known. */
  of(row: Row): Row | Promise<Row>
}

/** The loaders of objects by key. Each key is read once per answer; keys requested in the same tick are read together. */
export type Loaders = {
  readonly linkById: RowLoader<PaymentLink>
  readonly linkByRef: DataLoader<string, PaymentLink | null>
  readonly paymentById: RowLoader<Payment>
  readonly payerByPayment: DataLoader<string, Payer | null>
  /** Sealed. */
  readonly cardTokenByPayment: DataLoader<string, string | null>
  readonly duplicateOf: DataLoader<string, DuplicatePayment | null>
  readonly paymentsOfLink: DataLoader<string, readonly Payment[] | null>
  readonly commandsOf: DataLoader<string, readonly Command[] | null>
  readonly notesOf: DataLoader<string, readonly PaymentNote[] | null>
  readonly refundRequest: DataLoader<string, RefundRequestRow | null>
  readonly payinByPayment: DataLoader<string, DirectPayin | null>
  readonly agreementById: RowLoader<Agreement>
  readonly agreementByClientId: DataLoader<string, Agreement | null>
  readonly agreementPayer: DataLoader<string, AgreementReport['payer'] | null>
  readonly eventById: DataLoader<string, PaymentEvent | null>
  /** Returns the event before an event of a payment, of the same payment. */
  readonly previousOfPayment: DataLoader<PaymentEvent, PaymentEvent | null, string>
  readonly deliveryById: DataLoader<string, Delivery | null>
  readonly methodByCode: DataLoader<string, PayinMethod | null>
  readonly payoutById: RowLoader<PayoutView>
  /** Payouts that are recorded here; the payments API is not asked. */
  readonly recordedPayoutById: DataLoader<string, PayoutView | null>
  readonly customerById: DataLoader<string, SitedCustomer | null>
  readonly contactById: DataLoader<string, SitedContact | null>
  readonly payeesByPayout: DataLoader<string, readonly PayoutPayee[] | null>
  readonly gatewayPaymentById: RowLoader<GatewayPayment>
}

type LoaderSources = {
  readonly store: Store
  readonly tail: Pick<Tail, 'states' | 'previousOfPayment'>
  readonly methods: Pick<PayinMethodLists, 'find'>
  readonly operations: Pick<Operations, 'payoutsByIds' | 'customer' | 'contact'>
  readonly contactKeys: KeyRing
  readonly isItem: boolean
  /** Called if a payin method, or its absence, comes from lists that are not current. */
  readonly onStale: () => void
}

/**
 * Creates the loaders of one answer; each is created on first use. An unknown key loads null. A failed read of the store rejects
 * every key of its batch; a failed read of a payout rejects only its own key.
 */
export function createLoaders(sources: LoaderSources): Loaders {
  return new LazyLoaders(sources) as unknown as Loaders
}

class LazyLoaders {
  readonly sources: LoaderSources

  constructor(sources: LoaderSources) {
    this.sources = sources
  }
}

type Make<Loader> = (sources: LoaderSources, loaders: Loaders) => Loader

const MAKE: { readonly [Name in keyof Loaders]: Make<Loaders[Name]> } = {
  linkById: ({ store: { links } }) =>
    rowLoader({ keyOf: idOf, cached: links.cached, read: batched(links.byIds, idOf), newest: (link) => link }),
  linkByRef: ({ store }, { linkById }) =>
    loader(
      async (refs) => Promise.all((await store.links.byRefs(refs)).map(async (link) => linkById.of(link))),
      (link) => link.ref,
    ),
  paymentById: ({ store: { payments }, tail, isItem }) =>
    stateLoader(tail.states.payment, {
      isItem,
      cached: payments.cached,
      byIds: isItem ? (ids) => payments.byIds(tail.states.withExpected(ids)) : payments.byIds,
    }),
  payerByPayment: ({ store }) => mapLoader(store.payments.payers),
  cardTokenByPayment: ({ store }) => mapLoader(store.payments.cardTokens),
  duplicateOf: ({ store }) => mapLoader(store.payments.duplicates),
  paymentsOfLink: ({ store }) => mapLoader(store.payments.ofLinks),
  commandsOf: ({ store }) => mapLoader(store.commands.ofSubjects),
  notesOf: ({ store }) => mapLoader(store.payments.notes),
  refundRequest: ({ store }) => mapLoader(store.payments.refundRequests),
  payinByPayment: ({ store }) => loader(store.payments.payins, (payin) => payin.paymentId),
  agreementById: ({ store, tail, isItem }) =>
    stateLoader(tail.states.agreement, { isItem, byIds: store.agreements.byIds }),
  agreementByClientId: ({ store }, { agreementById }) =>
    loader(
      async (ids) => {
        const found = await store.agreements.byClientTransactionIds(ids)
        return Promise.all(found.map(async (agreement) => agreementById.of(agreement)))
      },
      (agreement) => agreement.clientTransactionId ?? '',
    ),
  agreementPayer: ({ store }) => mapLoader(store.agreements.payers),
  eventById: ({ store }) => loader(store.log.byIds, (event) => event.id),
  previousOfPayment: ({ store, tail }) =>
    new DataLoader(
      async (events) => {
        const recent = events.map(tail.previousOfPayment)
        const others = events.filter((_event, index) => recent[index] === null)
        const read = others.length === 0 ? [] : await store.log.previousOfPayments(others)
        return recent.map((event) => event ?? read.shift() ?? null)
      },
      { cacheKeyFn: ({ id }: PaymentEvent) => id },
    ),
  deliveryById: ({ store }) => loader(store.inbox.byIds, (delivery) => delivery.id),
  payoutById: ({ operations, tail: { states }, isItem }) =>
    rowLoader({
      keyOf: ({ payout }) => payout.id,
      cached: (id) => (isItem ? recordedView(states.payout.get(id)) : undefined),
      async read(ids) {
        const newest = states.payout.reading()
        return (await inSlices(ids, operations.payoutsByIds)).map((found) => loadedPayout(found, newest))
      },
      newest: (view) => recordedView(isRecorded(view.payout) ? states.payout.newest(view.payout) : undefined) ?? view,
    }),
  recordedPayoutById: ({ store }) =>
    loader(
      async (ids) => (await store.payouts.byIds(ids)).flatMap((payout) => recordedView(payout) ?? []),
      ({ payout }) => payout.id,
    ),
  customerById: ({ operations }) => singly((id) => operations.customer({ id, site: null })),
  contactById: ({ operations, contactKeys }) =>
    singly(async (id) => {
      const [site, email] = (unseal(contactKeys, 'contact', id) ?? []) as [string?, string?]
      if (site === undefined || email === undefined) return null
      return operations.contact({ site, email, currency: null })
    }),
  payeesByPayout: ({ store }) => mapLoader(store.payouts.payees),
  gatewayPaymentById: ({ store, tail, isItem }) =>
    stateLoader(tail.states.gatewayPayment, { isItem, byIds: store.gatewayPayments.byIds }),
  methodByCode: ({ methods, onStale }) =>
    new DataLoader((codes) => Promise.all(codes.map((code) => methods.find(code, onStale)))),
}

for (const [name, make] of Object.entries<Make<unknown>>(MAKE))
  Object.defineProperty(LazyLoaders.prototype, name, {
    get(this: LazyLoaders) {
      const value = make(this.sources, this as unknown as Loaders)
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

/** Creates a loader of what the payments API has no list by ids of: each key is read by itself, and a failure rejects only its own key. */
function singly<Entry>(read: (key: string) => Promise<Found<Entry> | null>): DataLoader<string, Sited<Entry> | null> {
  return new DataLoader<string, Sited<Entry> | null>((keys) =>
    Promise.all(
      keys.map(async (key): Promise<Sited<Entry> | null | GraphQLError> => {
        const outcome = await read(key)
        if (outcome?.kind === 'done') return outcome.found
        return outcome === null || outcome.kind === 'not-found' ? null : failedRead(outcome)
      }),
    ),
  )
}

function loadedPayout(found: PayoutLookup, newest: (payout: Payout) => Payout): PayoutView | GraphQLError | null {
  if (found.kind !== 'done') return found.kind === 'not-found' ? null : failedRead(found)
  const { payout, currencies } = found
  return payoutView(isRecorded(payout) ? newest(payout) : payout, currencies)
}

function recordedView(payout: Payout | undefined): PayoutView | undefined {
  return payout === undefined ? undefined : (payoutView(payout, []) ?? undefined)
}

type RowSource<Row> = {
  readonly keyOf: (row: Row) => string
  /** Returns an object without a query; undefined if that is not possible. */
  readonly cached: (id: string) => Row | undefined
  readonly read: BatchLoadFn<string, Row | null>
  readonly newest: (row: Row) => Row
}

function rowLoader<Row extends object>({ keyOf, cached, read, newest }: RowSource<Row>): RowLoader<Row> {
  const shown = new Map<string, Row | null | Promise<Row | null>>()
  let others: DataLoader<string, Row | null> | null = null
  return {
    load(id) {
      const known = shown.get(id)
      if (known !== undefined) return known
      const found = cached(id) ?? (others ??= new DataLoader(read)).load(id)
      shown.set(id, found)
      return found
    },
    of(row) {
      const known = shown.get(keyOf(row)) ?? newest(row)
      if (known instanceof Promise) return known.then((found) => found ?? row)
      shown.set(keyOf(row), known)
      return known
    },
  }
}

type StateSource<State> = {
  readonly isItem: boolean
  readonly cached?: (id: string) => State | undefined
  readonly byIds: (ids: readonly string[]) => Promise<readonly State[]>
}

/** Creates the loader of a kind of subject whose newest states are known. */
function stateLoader<State extends { readonly id: string; readonly version: number }>(
  states: NewestOf<State>,
  { isItem, cached, byIds }: StateSource<State>,
): RowLoader<State> {
  return rowLoader({
    keyOf: idOf,
    cached(id) {
      const row = cached?.(id)
      if (row !== undefined) return states.newest(row)
      return isItem ? states.get(id) : undefined
    },
    read: batched(async (ids) => {
      const newest = states.reading()
      return (await byIds(ids)).map(newest)
    }, idOf),
    newest: states.newest,
  })
}

function idOf({ id }: { readonly id: string }): string {
  return id
}

/** Creates a loader from a batch read that returns the found rows in any order. */
function loader<Row>(
  load: (keys: readonly string[]) => Promise<readonly Row[]>,
  keyOf: (row: Row) => string,
): DataLoader<string, Row | null> {
  return new DataLoader(batched(load, keyOf))
}

function batched<Row>(
  load: (keys: readonly string[]) => Promise<readonly Row[]>,
  keyOf: (row: Row) => string,
): BatchLoadFn<string, Row | null> {
  return async (keys) => {
    const rows = new Map((await inSlices(keys, load)).map((row) => [keyOf(row), row]))
    return keys.map((key) => rows.get(key) ?? null)
  }
}

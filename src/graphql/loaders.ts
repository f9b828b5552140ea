import DataLoader from 'dataloader'
import type { GraphQLError } from 'graphql'
import type { AgreementReport } from '../domain/agreement-report.ts'
import type { Agreement } from '../domain/agreement.ts'
import type { Delivery } from '../domain/delivery.ts'
import type { DirectPayin } from '../domain/direct-payin.ts'
import type { PayinMethod } from '../domain/payin-method.ts'
import type { PaymentEvent } from '../domain/payment-event.ts'
import type { PaymentLink } from '../domain/payment-link.ts'
import type { Payer } from '../domain/payment-report.ts'
import type { Payment } from '../domain/payment.ts'
import type { FoundPayout } from '../operations/find-payouts.ts'
import type { Operations } from '../operations/operations.ts'
import type { Store } from '../store/store.ts'
import type { MethodCache } from '../upstream/method-cache.ts'
import { failedRead } from './errors.ts'
import { payoutView, type PayoutView } from './payout-view.ts'

/** One loader per kind of thing that resolvers fetch by key: each asks once per answer, for all keys together. */
export type Loaders = {
  readonly linkById: DataLoader<string, PaymentLink | null>
  readonly linkByRef: DataLoader<string, PaymentLink | null>
  readonly paymentById: DataLoader<string, Payment | null>
  readonly payerByPayment: DataLoader<string, Payer | null>
  readonly payinByPayment: DataLoader<string, DirectPayin | null>
  readonly agreementById: DataLoader<string, Agreement | null>
  readonly agreementByClientId: DataLoader<string, Agreement | null>
  readonly agreementPayer: DataLoader<string, AgreementReport['payer'] | null>
  readonly eventById: DataLoader<string, PaymentEvent | null>
  readonly deliveryById: DataLoader<string, Delivery | null>
  readonly methodByCode: DataLoader<string, PayinMethod | null>
  readonly payoutById: DataLoader<string, PayoutView | null>
}

type LoaderSources = {
  readonly store: Store
  readonly methods: MethodCache<PayinMethod>
  readonly operations: Pick<Operations, 'payoutsByIds'>
}

/**
 * Fresh loaders, for one answer. A key that nothing has gives null; a failed read fails every key of its batch. `onStale` is
 * called when what was loaded, or that there is nothing, is not certain.
 */
export function createLoaders({ store, methods, operations }: LoaderSources, onStale: () => void): Loaders {
  return {
    linkById: loader(store.links.byIds, (link) => link.id),
    linkByRef: loader(store.links.byRefs, (link) => link.ref),
    paymentById: loader(store.payments.byIds, (payment) => payment.id),
    payerByPayment: new DataLoader(async (ids) => {
      const payers = await store.payments.payers(ids)
      return ids.map((id) => payers.get(id) ?? null)
    }),
    payinByPayment: loader(store.payments.payins, (payin) => payin.paymentId),
    agreementById: loader(store.agreements.byIds, (agreement) => agreement.id),
    agreementByClientId: loader(
      store.agreements.byClientTransactionIds,
      (agreement) => agreement.clientTransactionId ?? '',
    ),
    agreementPayer: new DataLoader(async (ids) => {
      const payers = await store.agreements.payers(ids)
      return ids.map((id) => payers.get(id) ?? null)
    }),
    eventById: loader(store.log.byIds, (event) => event.id),
    deliveryById: loader(store.inbox.byIds, (delivery) => delivery.id),
    payoutById: new DataLoader<string, PayoutView | null>(async (ids) =>
      (await operations.payoutsByIds(ids)).map(loadedPayout),
    ),
    methodByCode: new DataLoader((codes) => Promise.all(codes.map((code) => methods.find(code, onStale)))),
  }
}

function loadedPayout(found: FoundPayout): PayoutView | GraphQLError | null {
  if (found.kind === 'done') return payoutView(found.payout, found.site.currencies)
  return found.kind === 'not-found' ? null : failedRead(found)
}

/** A loader over a plural read that gives what it found in any order. */
function loader<Row>(
  load: (keys: readonly string[]) => Promise<readonly Row[]>,
  keyOf: (row: Row) => string,
): DataLoader<string, Row | null> {
  return new DataLoader(async (keys) => {
    const rows = new Map((await load(keys)).map((row) => [keyOf(row), row]))
    return keys.map((key) => rows.get(key) ?? null)
  })
}

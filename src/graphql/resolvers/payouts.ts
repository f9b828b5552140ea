import { type Limits, limitOf, parseMethodCode } from '../../domain/methods/payin-method.ts'
import { type PayoutReport, maskedName, type PayoutPayee } from '../../domain/payouts/payout-report.ts'
import { V1_METHOD_CODE } from '../../domain/payouts/payout-rules.ts'
import { isRecorded, type Payout as PayoutRecord } from '../../domain/payouts/payout.ts'
import type { SitedPayout } from '../../lookups/find-payouts.ts'
import { listByDays, filteredList, eventPage, nodeIdOf } from '../arguments/arguments.ts'
import type { Context } from '../context.ts'
import { failedRead } from '../error-formatter.ts'
import type { PayoutStatus } from '../generated.ts'
import { countedPage, type AreaResolvers } from '../models.ts'
import { keyHolder, demandScopes } from '../rights/rights.ts'
import { followOf } from '../subscriptions/stream-source.ts'
import { payoutView, type PayoutTransactionView, type PayoutView, failureResult } from '../views/views.ts'

export const payoutsResolvers = {
  Query: {
    payout: (_root, { id }, { loaders }) => loaders.payoutById.load(id),
    payouts: (_root, args, context) =>
      listByDays(args, context, async (page) => {
        const { operations, store, loaders } = context
        const list = await operations.payouts({ ...page, currency: args.currency ?? null })
        if (list.kind !== 'done') throw failedRead(list)
        const { payouts: found, totalPages, totalCount } = list.page
        const records = await store.payouts.byIds(found.map(({ payout }) => payout.id))
        const nodes = found
          .map(({ payout, currencies }) => payoutView(records.find(({ id }) => id === payout.id) ?? payout, currencies))
          .filter((view) => view !== null)
          .map(loaders.payoutById.of)
        return { nodes, totalPages, totalCount }
      }),
    recordedPayouts: (_root, args, context) =>
      filteredList('payouts', args, context, {
        store: context.store.payouts,
        show: (payout) => context.loaders.payoutById.of(known(payoutView(payout, []))),
      }),
    payoutMethod: (_root, { code }, { payoutMethods }) => payoutMethods.find(code),
    payoutMethods: async (_root, { currencies }, context) => {
      const { methods, fetchedAt, stale, unavailable } = await context.payoutMethods.list(currencies ?? undefined)
      return { nodes: [...methods], fetchedAt, stale, unavailable: [...unavailable] }
    },
  },
  Mutation: {
    createPayout: async (_root, { input }, { operations, caller, loaders }) => {
      const outcome = await operations.createPayout(input, keyHolder(caller))
      return outcome.kind === 'done' ? success(outcome, loaders) : failureResult(outcome)
    },
    createPayoutFromFile: async (_root, { input }, { operations, caller, loaders }) => {
      const outcome = await operations.createPayoutFromFile(input, keyHolder(caller))
      return outcome.kind === 'done' ? success(outcome, loaders) : failureResult(outcome)
    },
    cancelScheduledPayout: async (_root, { input }, { operations, caller, loaders }) => {
      const outcome = await operations.cancelScheduledPayout(input, keyHolder(caller))
      return outcome.kind === 'done' ? success(outcome, loaders) : failureResult(outcome)
    },
  },
  Subscription: {
    payoutUpdates: {
      subscribe: async (_root, args, context) => {
        const snapshot = await context.store.payouts.snapshot(args.id)
        return followOf('payoutUpdates', { of: 'payout', snapshot }, args, context)
      },
    },
  },
  PayoutConnection: countedPage,
  PaymentPayout: {
    id: ({ payout }) => payout.id,
    nodeId: ({ payout }) => nodeIdOf('PaymentPayout', payout.id),
    status: ({ payout }) => (payout.status === null ? 'UNRECOGNISED' : (payout.status.toUpperCase() as PayoutStatus)),
    statusRaw: ({ payout }) => payout.statusRaw,
    refunded: ({ payout, totalAmount: { currency } }) =>
      payout.totalRefund == null ? null : { value: payout.totalRefund, currency },
    failedTransactions: ({ payout }) => payout.failedTransactions ?? null,
    method: ({ payout }, _args, { payoutMethods }) =>
      payout.methodCode === null ? null : payoutMethods.find(payout.methodCode),
    description: ({ payout }) => payout.description,
    reference: ({ payout }) => payout.reference,
    scheduledAt: ({ payout }) => payout.scheduledAt,
    transactions: ({ transactions }) => [...transactions],
    errorCode: ({ payout }) => payout.errorCode,
    errorMessage: ({ payout }) => payout.errorMessage,
    cancelledAt: ({ payout }) => recorded(payout)?.cancelledAt ?? null,
    site: ({ payout }) => recorded(payout)?.site ?? null,
    provisional: ({ payout }) => recorded(payout)?.provisional ?? null,
    version: ({ payout }) => recorded(payout)?.version ?? null,
    createdAt: ({ payout }) => recorded(payout)?.createdAt ?? null,
    updatedAt: ({ payout }) => recorded(payout)?.updatedAt ?? null,
    events: ({ payout }, args, context) => eventPage({ payoutIds: [payout.id] }, args, context),
    __resolveReference({ id }, { caller, loaders }) {
      demandScopes(caller, 'PaymentPayout', [['payouts:read']])
      return loaders.payoutById.load(id)
    },
  },
  PayoutTransaction: {
    nodeId: ({ id, payoutId }) => nodeIdOf('PayoutTransaction', `${payoutId}/${id}`),
    statusRaw: ({ transaction }) => transaction.statusRaw ?? '',
    payee: async (view, _args, context) => (await payeeOf(view, context))?.name ?? null,
    payeeMasked: async (view, _args, context) => maskedName((await payeeOf(view, context))?.name ?? null),
    accountNumberMasked: async (view, _args, context) => (await payeeOf(view, context))?.accountNumberMasked ?? null,
    payIdMasked: async (view, _args, context) => (await payeeOf(view, context))?.payIdMasked ?? null,
    bankCode: async (view, _args, context) => (await payeeOf(view, context))?.bankCode ?? null,
    errorMessage: ({ transaction }) => transaction.errorMessage,
    createdAt: ({ transaction }) => transaction.createdAt,
    async __resolveReference({ id, payoutId }, { caller, loaders }) {
      demandScopes(caller, 'PayoutTransaction', [['payouts:read']])
      return (await loaders.payoutById.load(payoutId))?.transactions.find((one) => one.id === id) ?? null
    },
  },
  PayoutMethod: {
    nodeId: ({ code }) => nodeIdOf('PayoutMethod', code),
    provider: ({ code }) => (code === V1_METHOD_CODE ? null : parseMethodCode(code).provider),
    name: async (method, _args, { requirements }) => (await requirements.ofPayout(method))?.description ?? method.code,
    minAmount: async (method, _args, { requirements }) => limitFrom(await requirements.ofPayout(method), 'minAmount'),
    maxAmount: async (method, _args, { requirements }) => limitFrom(await requirements.ofPayout(method), 'maxAmount'),
    requiredFields: async (method, _args, { requirements }) =>
      (await requirements.ofPayout(method))?.fields.slice() ?? null,
    banks: async (method, _args, { requirements }) => (await requirements.ofPayout(method))?.banks.slice() ?? null,
    __resolveReference({ code }, { caller, payoutMethods }) {
      demandScopes(caller, 'PayoutMethod', [['payouts:read']])
      return payoutMethods.find(code)
    },
  },
} satisfies AreaResolvers

/** Returns the result of a successful mutation. Throws `TypeError` if the payout's amount or currency is unknown. */
function success(
  { result, replayed }: { readonly result: SitedPayout; readonly replayed: boolean },
  { payoutById }: Context['loaders'],
) {
  const payout = payoutView(result.payout, result.currencies)
  if (payout === null) throw new TypeError('The payments API answered with a payout that has no amount.')
  return { __typename: 'PayoutSuccess', payout: payoutById.of(payout), replayed } as const
}

function recorded(payout: PayoutRecord | PayoutReport): PayoutRecord | null {
  return isRecorded(payout) ? payout : null
}

async function payeeOf(
  { id, payoutId, payee }: PayoutTransactionView,
  { loaders }: Pick<Context, 'loaders'>,
): Promise<PayoutPayee | null> {
  if (payee !== undefined) return payee
  const payees = (await loaders.payeesByPayout.load(payoutId)) ?? []
  return payees.find(({ transactionId }) => transactionId === id) ?? null
}

function limitFrom(record: Limits | null, which: 'minAmount' | 'maxAmount') {
  return record === null ? null : limitOf(record, which)
}

/** Returns the view. Throws `TypeError` for null, which cannot occur: only payouts whose amount is known are listed. */
function known(view: PayoutView | null): PayoutView {
  if (view === null) throw new TypeError('A payout without an amount was listed.')
  return view
}

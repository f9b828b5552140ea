import { maskedName, type PayoutPayee } from '../../domain/payouts/payout-report.ts'
import type { Context } from '../context.ts'
import type { PayoutTransactionResolvers } from '../generated.ts'
import type { PayoutTransactionView } from '../views/payout-view.ts'

export const PayoutTransaction: PayoutTransactionResolvers = {
  statusRaw: ({ transaction }) => transaction.statusRaw ?? '',
  payee: async (view, _args, context) => (await payeeOf(view, context))?.name ?? null,
  payeeMasked: async (view, _args, context) => maskedName((await payeeOf(view, context))?.name ?? null),
  accountNumberMasked: async (view, _args, context) => (await payeeOf(view, context))?.accountNumberMasked ?? null,
  payIdMasked: async (view, _args, context) => (await payeeOf(view, context))?.payIdMasked ?? null,
  bankCode: async (view, _args, context) => (await payeeOf(view, context))?.bankCode ?? null,
  errorMessage: ({ transaction }) => transaction.errorMessage,
  createdAt: ({ transaction }) => transaction.createdAt,
}

async function payeeOf(
  { id, payoutId, payee }: PayoutTransactionView,
  { loaders }: Pick<Context, 'loaders'>,
): Promise<PayoutPayee | null> {
  if (payee !== undefined) return payee
  const payees = (await loaders.payeesByPayout.load(payoutId)) ?? []
  return payees.find(({ transactionId }) => transactionId === id) ?? null
}

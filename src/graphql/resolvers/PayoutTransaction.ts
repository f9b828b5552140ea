import type { PayoutTransactionResolvers } from '../generated.ts'

export const PayoutTransaction: PayoutTransactionResolvers = {
  statusRaw: ({ transaction }) => transaction.statusRaw ?? '',
  payee: ({ transaction }) => transaction.payee,
  errorMessage: ({ transaction }) => transaction.errorMessage,
  createdAt: ({ transaction }) => transaction.createdAt,
}

import type { DuplicatePaymentResolvers } from '../generated.ts'
import { mayReadPayment } from '../rights/rights.ts'
import { presentable } from '../views/presentable.ts'

export const DuplicatePayment: DuplicatePaymentResolvers = {
  other: async ({ otherId }, _args, context) => {
    const payment = otherId === null ? null : presentable(await context.loaders.paymentById.load(otherId))
    return payment !== null && (await mayReadPayment(context, payment)) ? payment : null
  },
}

import type { QueryResolvers } from '../../generated.ts'
import { mayReadPayment } from '../../rights/rights.ts'
import { presentable } from '../../views/presentable.ts'

export const payment: QueryResolvers['payment'] = async (_root, { id, statusToken }, context) => {
  const found = presentable(await context.loaders.paymentById.load(id))
  return found !== null && (await mayReadPayment(context, found, statusToken)) ? found : null
}

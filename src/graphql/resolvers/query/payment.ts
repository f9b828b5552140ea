import type { QueryResolvers } from '../../generated.ts'
import { presentable } from '../../presentable.ts'
import { mayReadPayment } from '../../rights.ts'

export const payment: QueryResolvers['payment'] = async (_root, { id, statusToken }, context) => {
  const found = presentable(await context.loaders.paymentById.load(id))
  return found !== null && (await mayReadPayment(context, found, statusToken)) ? found : null
}

import { failedRead } from '../../error-formatter.ts'
import type { QueryResolvers } from '../../generated.ts'

export const paymentCustomer: QueryResolvers['paymentCustomer'] = async (_root, { id, site }, { operations }) => {
  const outcome = await operations.customer({ id, site: site ?? null })
  if (outcome.kind === 'done') return outcome.found
  if (outcome.kind === 'not-found') return null
  throw failedRead(outcome)
}

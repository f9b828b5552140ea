import { badArgument, failedRead } from '../../error-formatter.ts'
import type { QueryResolvers } from '../../generated.ts'

export const paymentContact: QueryResolvers['paymentContact'] = async (
  _root,
  { email, currency, site },
  { operations },
) => {
  const outcome = await operations.contact({ email: email.trim(), currency: currency ?? null, site: site ?? null })
  if (outcome === null)
    throw badArgument(site == null ? 'currency' : 'site', 'must be served by configured credentials')
  if (outcome.kind === 'done') return outcome.found
  if (outcome.kind === 'not-found') return null
  throw failedRead(outcome)
}

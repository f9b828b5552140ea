import type { IdentityItem } from '../../../streams/stream-item.ts'
import { badArgument, failedRead, notFound } from '../../error-formatter.ts'
import type { SubscriptionResolvers } from '../../generated.ts'
import { rightEndsAt } from '../../rights/rights.ts'
import { StreamSource, tooMany } from '../../subscriptions/stream-source.ts'

export const paymentContactUpdates: SubscriptionResolvers['paymentContactUpdates'] = {
  subscribe: async (_root, { email, currency, site }, context) => {
    const { caller, identities } = context
    const opened = await identities.open(
      { email: email.trim(), currency: currency ?? null, site: site ?? null },
      { endsAt: rightEndsAt(context, false), caller: caller.kind === 'client' ? caller.identity : null },
    )
    if (opened.kind === 'stream')
      return new StreamSource<'paymentContactUpdates', IdentityItem>('paymentContactUpdates', opened.follower)
    if (opened.kind === 'no-site')
      throw badArgument(site == null ? 'currency' : 'site', 'must be served by configured credentials')
    if (opened.kind === 'too-many') throw tooMany('Too many streams are open.')
    throw opened.kind === 'not-found' ? notFound('email') : failedRead(opened)
  },
}

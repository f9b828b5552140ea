import type { MutationResolvers } from '../../generated.ts'
import { keyHolder } from '../../rights/key-holder.ts'
import { failureResult } from '../../views/results.ts'

export const createPaymentLink: MutationResolvers['createPaymentLink'] = async (
  _root,
  { input },
  { operations, caller },
) => {
  const outcome = await operations.createPaymentLink(input, keyHolder(caller, 'payments:read'))
  return outcome.kind === 'done'
    ? { __typename: 'CreatePaymentLinkSuccess', link: outcome.link, replayed: outcome.replayed }
    : failureResult(outcome)
}

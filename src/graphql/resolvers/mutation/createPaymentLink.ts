import type { MutationResolvers } from '../../generated.ts'
import { failureResult } from '../../results.ts'

export const createPaymentLink: MutationResolvers['createPaymentLink'] = async (_root, { input }, { operations }) => {
  const outcome = await operations.createPaymentLink(input)
  return outcome.kind === 'done'
    ? { __typename: 'CreatePaymentLinkSuccess', link: { link: outcome.link }, replayed: outcome.replayed }
    : failureResult(outcome)
}

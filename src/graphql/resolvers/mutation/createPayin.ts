import type { MutationResolvers } from '../../generated.ts'
import { keyHolder } from '../../rights/key-holder.ts'
import { statusTokenFor } from '../../rights/status-token-access.ts'
import { failureResult } from '../../views/results.ts'

export const createPayin: MutationResolvers['createPayin'] = async (_root, { input }, { operations, keys, caller }) => {
  const outcome = await operations.createPayin(input, keyHolder(caller, 'payments:read'))
  if (outcome.kind !== 'done') return failureResult(outcome)
  const { payment, replayed } = outcome
  const expiresAt = payment.details.expiresAt ?? payment.updatedAt
  return {
    __typename: 'CreatePayinSuccess',
    payment,
    statusToken: statusTokenFor(keys, payment.id, expiresAt),
    replayed,
  }
}

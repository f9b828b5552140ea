import type { MutationResolvers } from '../../generated.ts'
import { failureResult } from '../../views/results.ts'

export const replayWebhookDelivery: MutationResolvers['replayWebhookDelivery'] = async (
  _root,
  { input },
  { operations, loaders },
) => {
  const outcome = await operations.replayDelivery(input)
  if (outcome.kind !== 'done') return failureResult(outcome)
  const delivery = await loaders.deliveryById.load(input.deliveryId)
  if (delivery === null) throw new Error('A delivery that was replayed is gone.')
  return {
    __typename: 'ReplayWebhookDeliverySuccess',
    applied: outcome.applied,
    dispositionBefore: outcome.before,
    dispositionAfter: outcome.after,
    readRequested: outcome.readDue,
    statusBefore: outcome.statusBefore,
    statusAfter: outcome.statusAfter,
    delivery,
  }
}

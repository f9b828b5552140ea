import { hasScope } from '../../access/caller.ts'
import type { PayoutResolvers, PayoutStatus } from '../generated.ts'

export const Payout: PayoutResolvers = {
  id: ({ payout }) => payout.id,
  status: ({ payout }) => (payout.status === null ? 'UNRECOGNISED' : (payout.status.toUpperCase() as PayoutStatus)),
  statusRaw: ({ payout }) => payout.statusRaw,
  method: ({ payout }, _args, { payoutMethods }) =>
    payout.methodCode === null ? null : payoutMethods.find(payout.methodCode),
  description: ({ payout }) => payout.description,
  externalId: ({ payout }) => payout.externalId,
  scheduledAt: ({ payout }) => payout.scheduledAt,
  transactions: ({ transactions }) => [...transactions],
  errorCode: ({ payout }) => payout.errorCode,
  errorMessage: ({ payout }) => payout.errorMessage,
  __resolveReference: ({ id }, { caller, loaders }) =>
    hasScope(caller, 'payouts:read') ? loaders.payoutById.load(id) : null,
}

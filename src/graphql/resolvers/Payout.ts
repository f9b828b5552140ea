import type { PayoutReport } from '../../domain/payouts/payout-report.ts'
import { isRecorded, type Payout as PayoutRecord } from '../../domain/payouts/payout.ts'
import { eventPage } from '../arguments/event-page.ts'
import type { PayoutResolvers, PayoutStatus } from '../generated.ts'
import { nodeIdOf } from '../node-id.ts'
import { demandScopes } from '../rights/demand-scopes.ts'

export const Payout: PayoutResolvers = {
  id: ({ payout }) => payout.id,
  nodeId: ({ payout }) => nodeIdOf('Payout', payout.id),
  status: ({ payout }) => (payout.status === null ? 'UNRECOGNISED' : (payout.status.toUpperCase() as PayoutStatus)),
  statusRaw: ({ payout }) => payout.statusRaw,
  refunded: ({ payout, totalAmount: { currency } }) =>
    payout.totalRefund == null ? null : { value: payout.totalRefund, currency },
  failedTransactions: ({ payout }) => payout.failedTransactions ?? null,
  method: ({ payout }, _args, { payoutMethods }) =>
    payout.methodCode === null ? null : payoutMethods.find(payout.methodCode),
  description: ({ payout }) => payout.description,
  externalId: ({ payout }) => payout.externalId,
  scheduledAt: ({ payout }) => payout.scheduledAt,
  transactions: ({ transactions }) => [...transactions],
  errorCode: ({ payout }) => payout.errorCode,
  errorMessage: ({ payout }) => payout.errorMessage,
  cancelledAt: ({ payout }) => recorded(payout)?.cancelledAt ?? null,
  site: ({ payout }) => recorded(payout)?.site ?? null,
  provisional: ({ payout }) => recorded(payout)?.provisional ?? null,
  version: ({ payout }) => recorded(payout)?.version ?? null,
  createdAt: ({ payout }) => recorded(payout)?.createdAt ?? null,
  updatedAt: ({ payout }) => recorded(payout)?.updatedAt ?? null,
  events: ({ payout }, args, context) => eventPage({ payoutIds: [payout.id] }, args, context),
  __resolveReference({ id }, { caller, loaders }) {
    demandScopes(caller, 'Payout', [['payouts:read']])
    return loaders.payoutById.load(id)
  },
}

function recorded(payout: PayoutRecord | PayoutReport): PayoutRecord | null {
  return isRecorded(payout) ? payout : null
}

import type { PaymentStreamItemResolvers } from '../generated.ts'
import { visibleAgreement, visiblePayout } from '../rights/rights.ts'
import { presentable } from '../views/presentable.ts'

export const PaymentStreamItem: PaymentStreamItemResolvers = {
  cursor: (item, _args, { cursors }) => cursors.encode('log', item.position),
  previousCursor: (item, _args, { cursors }) => (item.previous === null ? null : cursors.encode('log', item.previous)),
  event: (item) => (item.kind === 'EVENT' ? item.event : null),
  payment: (item) => {
    if (item.kind === 'EVENT') return presentable(item.event.payment)
    return item.kind === 'SNAPSHOT' ? presentable(item.payment) : null
  },
  agreement: (item, _args, { caller }) => {
    if (item.kind === 'EVENT') return visibleAgreement(caller, item.event.agreement)
    return item.kind === 'SNAPSHOT' ? visibleAgreement(caller, item.agreement) : null
  },
  payout: (item, _args, { caller }) => {
    if (item.kind === 'EVENT') return visiblePayout(caller, item.event.payout)
    return item.kind === 'SNAPSHOT' ? visiblePayout(caller, item.payout) : null
  },
  gatewayPayment: (item) => {
    if (item.kind === 'EVENT') return item.event.gatewayPayment
    return item.kind === 'SNAPSHOT' ? item.gatewayPayment : null
  },
  link: async (item, _args, { loaders }) => {
    if (item.kind === 'SNAPSHOT') return item.link && { ...item.link, payment: item.payment }
    if (item.kind !== 'EVENT' || item.event.linkRef === null) return null
    const link = await loaders.linkByRef.load(item.event.linkRef)
    return link && { ...link, payment: item.event.payment }
  },
  resyncReason: (item) => (item.kind === 'RESYNC_REQUIRED' ? item.reason : null),
}

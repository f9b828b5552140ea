import { parseEventId } from '../../domain/payments/payment-event.ts'
import type { PaymentEventResolvers } from '../generated.ts'
import { demandToken } from '../rights/demand-scopes.ts'
import { mayReadEvent, visibleAgreement, visiblePayout } from '../rights/rights.ts'
import { presentable } from '../views/presentable.ts'

export const PaymentEvent: PaymentEventResolvers = {
  cursor: (event, _args, { cursors }) => cursors.encode('log', event.position),
  receivedAt: (event) => event.recordedAt,
  payment: (event) => presentable(event.payment),
  refund({ payment, sequence }) {
    const shown = presentable(payment)
    const refund = shown?.refunds?.findLast(({ version }) => version === sequence) ?? null
    return shown === null || refund === null ? null : { refund, payment: shown }
  },
  agreement: (event, _args, { caller }) => visibleAgreement(caller, event.agreement),
  payout: (event, _args, { caller }) => visiblePayout(caller, event.payout),
  gatewayPaymentCreation: (event) => event.gatewayCreation ?? null,
  link: async (event, _args, { loaders }) => {
    const link = event.linkRef === null ? null : await loaders.linkByRef.load(event.linkRef)
    return link === null ? null : { ...link, payment: event.payment }
  },
  __resolveReference: async ({ id }, context) => {
    demandToken(context.caller)
    if (parseEventId(id) === null) return null
    const event = await context.loaders.eventById.load(id)
    return event !== null && (await mayReadEvent(context, event)) ? event : null
  },
}

import type { GatewayPaymentStatus } from '../../../domain/gateway/gateway-payment.ts'
import type { MutationResolvers } from '../../generated.ts'
import { subjectOf } from '../../rights/key-holder.ts'
import { failureResult } from '../../views/results.ts'

export const settleGatewayPayment: MutationResolvers['settleGatewayPayment'] = async (
  _root,
  { input: { paymentId, version, status } },
  { operations, caller },
) => {
  const settlement = { version, status: status.toLowerCase() as GatewayPaymentStatus, settledBy: subjectOf(caller) }
  const outcome = await operations.settleGatewayPayment(paymentId, settlement)
  if (outcome.kind !== 'done') return failureResult(outcome)
  return { __typename: 'SettleGatewayPaymentSuccess', payment: outcome.payment }
}

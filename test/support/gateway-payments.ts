import type { PaymentStatus } from '../../src/domain/payments/payment-report.ts'
import type { Network } from './network.ts'

export const GATEWAY_PAYMENT_UPDATES = `subscription GatewayPaymentUpdates($id: ID!, $after: String) {
  gatewayPaymentUpdates(id: $id, after: $after) {
    kind cursor previousCursor resyncReason
    event { id kind sequence source fromStatus toStatus gatewayPayment { id status version } }
    gatewayPayment { id status statusRaw version provisional }
  }
}`

/** Sets the status of a gateway payment at the emulator, and waits for its callback. */
export async function setGatewayStatus({ sandbox }: Network, paymentId: string, status: PaymentStatus): Promise<void> {
  const payments = sandbox.control.state().gatewayPayments
  const uuid = payments.find((payment) => String(payment.paymentId) === paymentId)?.uuid
  if (uuid === undefined) throw new Error('The emulator has no such gateway payment.')
  await sandbox.control.setStatus(uuid, status)
}

import {
  type GatewayPayment,
  type GatewayPaymentDecision,
  type GatewayPaymentReport,
  evolveGatewayPayment,
  gatewayStatus,
  gatewayStreamId,
} from '../../../src/domain/gateway/gateway-payment.ts'

/** Returns the report of a callback about a gateway payment. */
export function gatewayCallback(statusRaw: string, parts: Partial<GatewayPaymentReport> = {}): GatewayPaymentReport {
  return { id: '46345', reference: 'order-1', statusRaw, status: gatewayStatus(statusRaw), ...parts }
}

/** What gateway payments are requested with. */
export const REQUESTED = { reference: 'order-1', amount: '99.95', currency: 'AUD', description: 'Two tickets' }

const NEW = {
  ...REQUESTED,
  id: '46345',
  ref: 'gate',
  streamId: gatewayStreamId('46345'),
  site: 'au',
  overrulesOperator: false,
}
const AT = '2030-01-02T03:04:05.678Z'

/** Returns the gateway payment after a decision. */
export function decidedGateway(
  state: GatewayPayment | null,
  { change, provisional }: GatewayPaymentDecision,
): GatewayPayment | null {
  const doubt = provisional ?? state?.provisional ?? false
  if (change === null) return state === null ? null : { ...state, provisional: doubt }
  const sequence = (state?.version ?? 0) + 1
  return evolveGatewayPayment(state ?? NEW, change, { sequence, at: AT, provisional: doubt })
}

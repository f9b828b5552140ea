import type { GatewayPayment, GatewayPaymentStatus } from '../../domain/gateway/gateway-payment.ts'
import type { ReadPlan } from '../../domain/reads/read-schedule.ts'
import { instant, named, reshaped, type TableOf, tableOf, text } from './columns.ts'
import type { Numbering, TableSpec } from './table.ts'

const gatewayPayments = tableOf(
  'gateway_payments',
  {
    id: text(),
    ref: text(),
    site: text(),
    reference: named('order_id', text()),
    status: text<GatewayPaymentStatus | null>(),
    stateJson: text(),
    createdAt: instant,
  },
  ['id', 'ref'],
)

export type GatewayPaymentsTable = TableOf<typeof gatewayPayments.fields> & { number: Numbering }

export type GatewayPaymentRow = {
  readonly state: GatewayPayment
  /** Not counted: no response to a read is compared with it. */
  readonly deliveries: number
  readonly plan: ReadPlan
}

/** No read is ever planned: the payments API has no endpoint that reads a gateway payment. */
export const NO_READ: ReadPlan = { dueAt: null, readClass: 'poll', failures: 0 }

export const GATEWAY_PAYMENTS: TableSpec<GatewayPaymentRow, 'id' | 'ref'> = {
  ...reshaped(gatewayPayments, {
    keys: ({ state }) => state,
    flat: ({ state }) => ({ ...state, stateJson: JSON.stringify(state) }),
    shape: ({ stateJson }) => ({ state: toGatewayPayment(stateJson), deliveries: 0, plan: NO_READ }),
  }),
  numbered: true,
}

/** Returns the gateway payment of its column. */
export function toGatewayPayment(stateJson: string): GatewayPayment {
  return JSON.parse(stateJson) as GatewayPayment
}

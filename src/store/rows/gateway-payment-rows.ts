import type { GatewayPayment, GatewayPaymentStatus } from '../../domain/gateway/gateway-payment.ts'
import type { ReadPlan } from '../../domain/reads/read-schedule.ts'
import { fromIso, type Numbering, type TableSpec } from './table.ts'

export type GatewayPaymentsTable = {
  number: Numbering
  id: string
  ref: string
  site: string
  order_id: string
  status: GatewayPaymentStatus | null
  state_json: string
  created_at: number
}

export type GatewayPaymentRow = {
  readonly state: GatewayPayment
  /** Not counted: no response to a read is compared with it. */
  readonly deliveries: number
  readonly plan: ReadPlan
}

/** No read is ever planned: the payments API has no endpoint that reads a gateway payment. */
export const NO_READ: ReadPlan = { dueAt: null, readClass: 'poll', failures: 0 }

export const GATEWAY_PAYMENTS: TableSpec<GatewayPaymentRow, 'id' | 'ref'> = {
  name: 'gateway_payments',
  numbered: true,
  columns: {
    id: 'text',
    ref: 'text',
    site: 'text',
    order_id: 'text',
    status: 'text',
    state_json: 'text',
    created_at: 'integer',
  },
  keyOf: ({ state }) => state.id,
  lookups: {
    id: { columns: ['id'], keyOf: ({ state }) => state.id },
    ref: { columns: ['ref'], keyOf: ({ state }) => state.ref },
  },
  fromRow: (row) => ({ state: toGatewayPayment(String(row['state_json'])), deliveries: 0, plan: NO_READ }),
  toRow: ({ state }) => ({
    id: state.id,
    ref: state.ref,
    site: state.site,
    order_id: state.reference,
    status: state.status,
    state_json: JSON.stringify(state),
    created_at: fromIso(state.createdAt),
  }),
}

/** Returns the gateway payment of its column. */
export function toGatewayPayment(stateJson: string): GatewayPayment {
  return JSON.parse(stateJson) as GatewayPayment
}

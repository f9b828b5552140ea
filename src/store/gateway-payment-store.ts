import type { GatewayPayment, GatewayPaymentStatus } from '../domain/gateway/gateway-payment.ts'
import type { PageQuery, Placed } from './store.ts'

/** Gateway payments that were started here. */
export type GatewayPaymentStore = {
  byIds(ids: readonly string[]): Promise<GatewayPayment[]>
  /**
   * By number; by creation and number where the filter names an instant. Throws `RangeError` for a place of the other order.
   */
  page(page: PageQuery, filter: GatewayPaymentFilter): Promise<Placed<GatewayPayment>[]>
  /** Returns a gateway payment and the position of the log, read in one transaction. */
  snapshot(id: string): Promise<{ gatewayPayment: GatewayPayment; head: number } | null>
}

export type GatewayPaymentFilter = {
  readonly statuses?: readonly GatewayPaymentStatus[]
  /** The merchant's own id of the order. */
  readonly orderId?: string
  /** When it was first recorded. */
  readonly createdFrom?: Date
  readonly createdBefore?: Date
}

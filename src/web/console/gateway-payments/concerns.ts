import type { FeedEvent } from '../feed/log-changes.ts'

/** Returns whether an event is about a gateway payment. */
export const concernsGatewayPayments = ({ kind }: FeedEvent): boolean => kind.startsWith('GATEWAY_PAYMENT_')

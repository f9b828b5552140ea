import type { GatewayPaymentFacts } from './gateway-payment.ts'

/** An operator has found that a creation without an answer was not carried out. */
export type GatewayCreationKind = 'GATEWAY_PAYMENT_NOT_CREATED'

/** Name of the mutation that starts gateway payments, in the records of its commands. */
export const CREATE_GATEWAY_PAYMENT = 'createGatewayPayment'

/** The request of a gateway payment of which no payment is known. */
export type GatewayCreation = GatewayPaymentFacts & {
  /** Id of the command. */
  readonly operationId: string
  readonly site: string
}

/** A creation that an operator has settled as not carried out. */
export type SettledGatewayCreation = GatewayCreation & {
  /** Identity of the operator; null if the token named nobody. */
  readonly settledBy: string | null
}

/** A creation whose outcome is unknown. */
export type UnansweredGatewayCreation = GatewayCreation & {
  /** The payment that callbacks have reported under its correlation id; null if there is none. */
  readonly paymentId: string | null
  /** Instant of the attempt, ISO 8601 in UTC. */
  readonly requestedAt: string
}

/** What an operator says about a creation: the id of the payment that it made, or null if it made none. */
export type CreationSettlement = { readonly paymentId: string | null; readonly settledBy: string | null }

/** Returns the id of the stream that contains the operators' decisions about a creation. Ids of payments have no such prefix. */
export function creationStreamId(operationId: string): string {
  return `gateway:operation-${operationId}`
}

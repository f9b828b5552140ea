import { gatewayInput } from './inputs.ts'
import { mutate } from './mutations.ts'
import type { Network } from './network.ts'

const CREATE = '/v1/payment_gateways/create_payment'

type World = Pick<Network, 'ask' | 'sandbox'>

export type Unanswered = {
  readonly operationId: string
  readonly reference: string
  readonly input: Record<string, unknown>
  /** The payments API's id of the payment; null if the request did not arrive. */
  readonly paymentId: string | null
}

/** Requests a gateway payment whose answer is lost, after the payments API has made it or before. */
export async function unansweredCreation(network: World, { arrives }: { arrives: boolean }): Promise<Unanswered> {
  const reference = `unanswered-${crypto.randomUUID()}`
  const input = gatewayInput({ reference })
  const answer = arrives ? 'drop-after' : 'reset'
  network.sandbox.control.addFault({ method: 'POST', path: CREATE, answer, times: 1 })
  const { operationId } = await mutate(network, 'createGatewayPayment', input)
  const made = network.sandbox.control.state().gatewayPayments.find((payment) => payment.orderId === reference)
  return {
    operationId: String(operationId),
    reference,
    input,
    paymentId: made === undefined ? null : String(made.paymentId),
  }
}

const SETTLE = `mutation S($input: SettleGatewayPaymentCreationInput!) { settleGatewayPaymentCreation(input: $input) {
  __typename
  ... on SettleGatewayPaymentCreationSuccess { operationId outcome paymentId }
  ... on PaymentsStateConflictError { statusRaw }
  ... on PaymentsInvalidInputError { problems { path } } } }`

/** Settles a creation as an operator. */
export async function settleCreation(network: World, input: object) {
  return (await network.ask(SETTLE, { input })).data['settleGatewayPaymentCreation']
}

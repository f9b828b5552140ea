import { badArgument } from './error-formatter.ts'

/** The types with a `nodeId`, each with the root field that reads one of them by its id. A refund is read with its payment. */
export const NODE_FIELDS = {
  PaymentLink: 'paymentLink',
  Payment: 'payment',
  Refund: 'payment',
  PaymentAgreement: 'paymentAgreement',
  Payout: 'payout',
  GatewayPayment: 'gatewayPayment',
  WebhookDelivery: 'webhookDelivery',
  PaymentImport: 'paymentImport',
} as const

export type NodeType = keyof typeof NODE_FIELDS

/** Longer than that of any id that is stored. */
const LONGEST = 1_000

/** Returns the id of an object that is unique among all types: its type and its id, in base64url. */
export function nodeIdOf(type: NodeType, id: string): string {
  return Buffer.from(`${type}:${id}`, 'utf8').toString('base64url')
}

/** Reads a `nodeId`. Throws `BAD_USER_INPUT` for a text that `nodeIdOf` does not return. */
export function parseNodeId(nodeId: string): { readonly type: NodeType; readonly id: string } {
  const text = nodeId.length > LONGEST ? '' : Buffer.from(nodeId, 'base64url').toString('utf8')
  const [type = '', ...rest] = text.split(':')
  const id = rest.join(':')
  // One object has one nodeId: other spellings of the same bytes are not accepted.
  if (!isNodeType(type) || id === '' || nodeIdOf(type, id) !== nodeId)
    throw badArgument('nodeId', 'is not a nodeId of this API')
  return { type, id }
}

function isNodeType(type: string): type is NodeType {
  return Object.hasOwn(NODE_FIELDS, type)
}

import { createHash } from 'node:crypto'

/** An operation of the command line, and the scopes without which the graph refuses it. */
export type OperatorDocument = { readonly text: string; readonly scopes: readonly string[] }

const DELIVERY_FIELDS = `id disposition quarantineReason subjectId statusRaw attempts firstReceivedAt lastReceivedAt
    event { id toStatus }
    payment { id statusRaw version provisional updatedAt }
    agreement { id statusRaw version updatedAt }`

/** A page of deliveries, newest first. */
export const DELIVERIES: OperatorDocument = {
  scopes: ['payments:read'],
  text: `query OperatorDeliveries($first: Int!, $after: String, $filter: WebhookDeliveryFilter) {
  webhookDeliveries(first: $first, after: $after, filter: $filter) {
    nodes { ${DELIVERY_FIELDS} }
    pageInfo { hasNextPage endCursor }
  }
}`,
}

/** The scope without which a delivery is shown without its body. */
export const BODY_SCOPE = 'payments:risk'

/** One delivery with what it speaks of. */
export const DELIVERY: OperatorDocument = {
  scopes: ['payments:read'],
  text: `query OperatorDelivery($id: ID!) {
  webhookDelivery(id: $id) {
    ${DELIVERY_FIELDS}
    ref
    body
    link { id state }
  }
}`,
}

/** A replay of one delivery. */
export const REPLAY: OperatorDocument = {
  scopes: ['webhooks:replay', 'payments:read'],
  text: `mutation OperatorReplay($input: ReplayWebhookDeliveryInput!) {
  replayWebhookDelivery(input: $input) {
    __typename
    ... on ReplayWebhookDeliverySuccess {
      applied dispositionBefore dispositionAfter readRequested statusBefore statusAfter
      delivery { ${DELIVERY_FIELDS} }
    }
    ... on PaymentsError { code message }
  }
}`,
}

/** Every document of the command line by its id, in Relay's form: for a subgraph that runs trusted documents alone. */
export function manifest(): Record<string, string> {
  return Object.fromEntries(
    [DELIVERIES, DELIVERY, REPLAY].map(({ text }) => [createHash('sha256').update(text).digest('hex'), text]),
  )
}

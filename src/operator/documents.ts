import { createHash } from 'node:crypto'

/** An operation of the command line, and the scopes that it requires. */
export type OperatorDocument = { readonly text: string; readonly scopes: readonly string[] }

const DELIVERY_FIELDS = `id disposition quarantineReason subjectId statusRaw attempts firstReceivedAt lastReceivedAt
    event { id toStatus }
    payment { id statusRaw version provisional updatedAt }
    agreement { id statusRaw version updatedAt }`

/** A page of deliveries, newest first. */
export const DELIVERIES: OperatorDocument = {
  scopes: ['payments:read'],
  text: `query OperatorDeliveries($first: Int!, $after: String, $filter: PaymentWebhookDeliveryFilter) {
  webhookDeliveries(first: $first, after: $after, filter: $filter) {
    nodes { ${DELIVERY_FIELDS} }
    pageInfo { hasNextPage endCursor }
  }
}`,
}

/** The scope that is required to see the body of a delivery. */
export const BODY_SCOPE = 'payments:risk'

/** One delivery with its payment or agreement. */
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

/** The beginning of a replay of all that match a filter. */
export const BULK_REPLAY: OperatorDocument = {
  scopes: REPLAY.scopes,
  text: `mutation OperatorBulkReplay($input: ReplayWebhookDeliveriesInput!) {
  replayWebhookDeliveries(input: $input) {
    __typename
    ... on ReplayWebhookDeliveriesSuccess { replay { id } }
    ... on PaymentsError { code message }
  }
}`,
}

/** A replay of all that match a filter, with its results. */
export const BULK_REPLAY_STATE: OperatorDocument = {
  scopes: ['payments:read'],
  text: `query OperatorBulkReplayState($id: ID!) {
  webhookReplay(id: $id) {
    id state cancelled progress matched changed unchanged awaitingRead notReplayable failed
    results { deliveryId dispositionBefore dispositionAfter statusBefore statusAfter refusal }
  }
}`,
}

/** The end of a running replay. */
export const CANCEL_REPLAY: OperatorDocument = {
  scopes: REPLAY.scopes,
  text: `mutation OperatorCancelReplay($input: CancelWebhookReplayInput!) {
  cancelWebhookReplay(input: $input) {
    __typename
    ... on CancelWebhookReplaySuccess { replay { id state cancelled } }
    ... on PaymentsError { code message }
  }
}`,
}

const ERASURE_FIELDS = 'id by state valueHash requestedBy requestedAt payments agreements payouts payers doneAt'

/** How much an erasure would find. */
export const ERASABLE: OperatorDocument = {
  scopes: ['payments:erase'],
  text: `query OperatorErasable($of: ErasePayerInput!) {
  erasablePayers(of: $of) { payments agreements payouts }
}`,
}

/** An erasure of payers. */
export const ERASE: OperatorDocument = {
  scopes: ['payments:erase'],
  text: `mutation OperatorErase($input: ErasePayerInput!) {
  erasePayer(input: $input) {
    __typename
    ... on ErasePayerSuccess { erasure { ${ERASURE_FIELDS} } }
    ... on PaymentsError { code message }
  }
}`,
}

/** A page of erasures, newest first. */
export const ERASURES: OperatorDocument = {
  scopes: ['payments:erase'],
  text: `query OperatorErasures($first: Int!, $after: String) {
  payerErasures(first: $first, after: $after) {
    nodes { ${ERASURE_FIELDS} }
    pageInfo { hasNextPage endCursor }
  }
}`,
}

/** The signing keys, and what depends on them. */
export const KEYS: OperatorDocument = {
  scopes: ['payments:read'],
  text: `query OperatorKeys {
  signingKeys {
    keyId setting state firstSignedAt lastSignedAt lastCallbackAt removable
    dependents { kind needed until count }
  }
}`,
}

/** The beginning of an import. */
export const IMPORT: OperatorDocument = {
  scopes: ['payments:reconcile'],
  text: `mutation OperatorImport($input: ImportPaymentsInput!) {
  importPayments(input: $input) {
    __typename
    ... on ImportPaymentsSuccess { import { id } }
    ... on PaymentsInvalidInputError { problems { path message } }
    ... on PaymentsError { code message }
  }
}`,
}

const SUM = '{ count amount paid refunded }'
const IMPORT_FIELDS = `id from to dryRun state progress
    lists { site list listed equal differed added passedOver failed absent differedIds addedIds absentIds failedIds problem }
    totals { site kind currency theirs ${SUM} ours ${SUM} difference ${SUM} }`

/** An import, with its report. */
export const IMPORT_STATE: OperatorDocument = {
  scopes: ['payments:reconcile'],
  text: `query OperatorImportState($id: ID!) {
  paymentImport(id: $id) {
    ${IMPORT_FIELDS}
  }
}`,
}

/** The end of a running import. */
export const CANCEL_IMPORT: OperatorDocument = {
  scopes: ['payments:reconcile'],
  text: `mutation OperatorCancelImport($input: CancelPaymentImportInput!) {
  cancelPaymentImport(input: $input) {
    __typename
    ... on CancelPaymentImportSuccess { import { id state } }
    ... on PaymentsError { code message }
  }
}`,
}

/** The comparison of a day, or of yesterday. */
export const DAILY_REPORT: OperatorDocument = {
  scopes: ['payments:reconcile'],
  text: `query OperatorDailyReport($day: LocalDate) {
  reconciliationReport(day: $day) {
    ${IMPORT_FIELDS}
  }
}`,
}

/** Creations of gateway payments without an answer, oldest first. */
export const UNANSWERED: OperatorDocument = {
  scopes: ['payments:read'],
  text: `query OperatorUnanswered($first: Int!) {
  unansweredGatewayPayments(first: $first) {
    operationId reference amount { value currency } site requestedAt
  }
}`,
}

/** What an operator found about a creation without an answer. */
export const SETTLE_CREATION: OperatorDocument = {
  scopes: ['payments:read', 'payments:reconcile'],
  text: `mutation OperatorSettleCreation($input: SettleGatewayPaymentCreationInput!) {
  settleGatewayPaymentCreation(input: $input) {
    __typename
    ... on SettleGatewayPaymentCreationSuccess { operationId outcome paymentId }
    ... on PaymentsError { code message }
    ... on PaymentsInvalidInputError { problems { path message } }
    ... on PaymentsStateConflictError { statusRaw }
  }
}`,
}

/** A page of payments, newest first, without who has paid. */
export const PAYMENTS: OperatorDocument = {
  scopes: ['payments:read'],
  text: `query OperatorPayments($first: Int!, $after: String, $filter: PaymentsFilter) {
  payments(first: $first, after: $after, filter: $filter) {
    nodes {
      id reference site phase statusRaw methodRaw createdAt updatedAt
      link { id description owner { id } }
      amount { value currency }
      total { value }
      paid { value }
      refunded { value }
    }
    pageInfo { hasNextPage endCursor }
  }
}`,
}

const ALL = [
  DELIVERIES,
  DELIVERY,
  REPLAY,
  BULK_REPLAY,
  BULK_REPLAY_STATE,
  CANCEL_REPLAY,
  ERASABLE,
  ERASE,
  ERASURES,
  KEYS,
  IMPORT,
  IMPORT_STATE,
  CANCEL_IMPORT,
  DAILY_REPORT,
  PAYMENTS,
  UNANSWERED,
  SETTLE_CREATION,
]

/** Returns all documents of the command line by id, in Relay's form, for a subgraph that accepts only trusted documents. */
export function manifest(): Record<string, string> {
  return Object.fromEntries(ALL.map(({ text }) => [createHash('sha256').update(text).digest('hex'), text]))
}

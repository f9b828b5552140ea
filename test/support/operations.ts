import { randomBytes } from 'node:crypto'
import type { Network } from './network.ts'

/** Documents of the end-to-end tests, as a client would write them. */
export const CREATE_LINK = `mutation CreateLink($input: CreatePaymentLinkInput!) {
  createPaymentLink(input: $input) {
    __typename
    ... on CreatePaymentLinkSuccess {
      replayed
      link { id reference site checkoutUrl statusToken state requestedAmount { value currency exponent } expiresAt payment { id } }
    }
    ... on PaymentsInvalidInputError { problems { path message } }
    ... on PaymentsAmountOutOfRangeError { min { value currency } max { value currency } }
    ... on PaymentsMethodUnavailableError { availableCodes }
    ... on PaymentsIdempotencyConflictError { inProgress }
    ... on PaymentsOutcomeUnknownError { operationId }
    ... on PaymentsUpstreamRejectedError { httpStatus upstreamCode problems { path message } }
    ... on PaymentsUpstreamUnavailableError { retryAfterSeconds }
    ... on PaymentsCredentialsRejectedError { site }
    ... on PaymentsError { code message retryable }
  }
}`

export const LINK_UPDATES = `subscription LinkUpdates($id: ID!, $statusToken: String, $after: String) {
  paymentLinkUpdates(id: $id, statusToken: $statusToken, after: $after) {
    kind cursor previousCursor resyncReason
    event { id kind sequence cursor source fromStatus toStatus }
    link { id state payment { id status } }
    payment { id status phase version terminal provisional paid { value currency } failure { code category retry customerMessage } }
  }
}`

export const LINK = `query Link($id: ID!, $statusToken: String) {
  paymentLink(id: $id, statusToken: $statusToken) {
    id state
    payment { id status statusRaw phase terminal version provisional paid { value currency } amount { value currency exponent } card { brand last4 } method { code } }
  }
}`

/** Returns the input of a link, valid under every rule of the interface; `over` replaces parts of it. */
export function linkInput(over: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    idempotencyKey: randomBytes(8).toString('hex'),
    // One of its own: payments of one reference would be duplicates.
    reference: `order-${randomBytes(4).toString('hex')}`,
    amount: { value: '125.50', currency: 'AUD' },
    description: 'Two tickets',
    customer: { email: 'ada@example.test', firstName: 'Ada', lastName: 'Payer' },
    methodCode: 'au_card_aud',
    ...over,
  }
}

export type CreatedLink = {
  readonly id: string
  readonly reference: string
  readonly site: string
  readonly checkoutUrl: string
  readonly statusToken: string
  readonly state: string
  readonly expiresAt: string
  readonly payment: { readonly id: string } | null
}

/** Result of `CREATE_LINK`, of any member of the union. */
export type CreateLinkResult = {
  readonly __typename: string
  readonly replayed?: boolean
  readonly link?: CreatedLink
  readonly [field: string]: unknown
}

/** Requests a link and returns the result, of any member of the union. */
export async function tryCreateLink(
  network: Pick<Network, 'ask'>,
  over: Record<string, unknown> = {},
): Promise<CreateLinkResult> {
  const answer = await network.ask<{ createPaymentLink: CreateLinkResult }>(CREATE_LINK, { input: linkInput(over) })
  return answer.data.createPaymentLink
}

/** Creates a link. Throws if it is not created. */
export async function createLink(
  network: Pick<Network, 'ask'>,
  over: Record<string, unknown> = {},
): Promise<CreatedLink> {
  const result = await tryCreateLink(network, over)
  if (result.link === undefined) throw new Error(`No link was made: ${JSON.stringify(result)}`)
  return result.link
}

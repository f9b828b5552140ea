import type { Network } from './network.ts'

export type ErasureNode = {
  readonly id: string
  readonly by: string
  readonly state: string
  readonly valueHash: string
  readonly requestedBy: string | null
  readonly requestedAt: string
  readonly payments: number
  readonly agreements: number
  readonly payouts: number
  readonly payers: number
  readonly doneAt: string | null
}

type EraseResult = {
  readonly __typename: string
  readonly erasure?: ErasureNode
  readonly problems?: readonly { readonly path: readonly string[]; readonly message: string }[]
}

const FIELDS = 'id by state valueHash requestedBy requestedAt payments agreements payouts payers doneAt'

const ERASE = `mutation Erase($input: ErasePayerInput!) {
  erasePayer(input: $input) {
    __typename
    ... on ErasePayerSuccess { erasure { ${FIELDS} } }
    ... on PaymentsInvalidInputError { problems { path message } }
    ... on PaymentsError { code }
  }
}`

const ERASURES = `query Erasures($first: Int!, $after: String, $of: ErasePayerInput) {
  payerErasures(first: $first, after: $after, of: $of) {
    nodes { ${FIELDS} }
    pageInfo { hasNextPage endCursor }
  }
}`

type Asking = Pick<Network, 'ask' | 'token'>

/** Asks for an erasure, as the operator `dpo-1`. Returns the result, of any member of its union. */
export async function tryToErase({ ask, token }: Asking, by: string, value: string): Promise<EraseResult> {
  const options = { token: await token({ scopes: ['payments:erase'], subject: 'dpo-1' }) }
  const { data, errors } = await ask<{ erasePayer: EraseResult }>(ERASE, { input: { by, value } }, options)
  if (errors !== undefined) throw new Error(JSON.stringify(errors))
  return data.erasePayer
}

/** Erases payers. Throws if the erasure is refused. */
export async function erase(network: Asking, by: string, value: string): Promise<ErasureNode> {
  const { erasure, ...rest } = await tryToErase(network, by, value)
  if (erasure === undefined) throw new Error(JSON.stringify(rest))
  return erasure
}

/** Returns a page of the erasures, newest first. */
export async function erasures(
  { ask }: Asking,
  { first = 50, ...page }: { readonly first?: number; readonly after?: string | null; readonly of?: unknown } = {},
) {
  type Page = {
    readonly nodes: readonly ErasureNode[]
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  }
  const { data, errors } = await ask<{ payerErasures: Page }>(ERASURES, { first, ...page })
  if (errors !== undefined) throw new Error(JSON.stringify(errors))
  return data.payerErasures
}

export type PayerNode = { readonly name: string | null; readonly email: string | null }

/** Returns the payer of a payment; null if there is none. Throws if there is no payment. */
export async function payerOf({ ask }: Asking, id: string): Promise<PayerNode | null> {
  const query = 'query Payer($id: ID!) { payment(id: $id) { payer { name email } } }'
  const { data } = await ask<{ payment: { payer: PayerNode | null } | null }>(query, { id })
  if (data.payment === null) throw new Error('There is no such payment.')
  return data.payment.payer
}

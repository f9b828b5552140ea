import { payinInput } from './inputs.ts'
import { made, mutate, PAYMENT_FIELDS, type PaymentNode, type Result } from './mutations.ts'
import type { AskOptions, Network } from './network.ts'

/** A sandbox in which nothing happens by itself within a test: its clock is moved on by hand, a minute for each step. */
export const BY_HAND = { paceMs: 60_000, mandateMs: 24 * 3_600_000 }

/** Makes a payin, and waits until the webhook of its beginning has been told. */
export async function createPayin(network: Network, over: Record<string, unknown> = {}): Promise<Result & PaymentNode> {
  const result = await mutate(network, 'createPayin', payinInput(over))
  const payment = await made(Promise.resolve(result), 'payment')
  await network.sandbox.settle()
  return { ...result, ...payment }
}

/** The payment as it is shown to a caller; null for one who may not read it, or when there is none. */
export async function readPayment(
  network: Network,
  id: string,
  { statusToken, ...options }: AskOptions & { readonly statusToken?: string | undefined } = {},
): Promise<PaymentNode | null> {
  const { data } = await network.ask<{ payment: PaymentNode | null }>(
    `query Payment($id: ID!, $statusToken: String) { payment(id: $id, statusToken: $statusToken) { ${PAYMENT_FIELDS} } }`,
    { id, statusToken: statusToken ?? null },
    options,
  )
  return data.payment
}

import { payinInput } from './inputs.ts'
import { made, mutate, PAYMENT_FIELDS, type PaymentNode, type Result } from './mutations.ts'
import type { AskOptions, Network } from './network.ts'

/** Sandbox options under which nothing happens by itself during a test: the test advances the sandbox's clock, a minute for each step. */
export const BY_HAND = { paceMs: 60_000, mandateMs: 24 * 3_600_000 }

/** Creates a payin, and waits until its first webhook has been sent. */
export async function createPayin(network: Network, over: Record<string, unknown> = {}): Promise<Result & PaymentNode> {
  const result = await mutate(network, 'createPayin', payinInput(over))
  const payment = await made(Promise.resolve(result), 'payment')
  await network.sandbox.settle()
  return { ...result, ...payment }
}

/** Returns the payment as the app shows it to a caller; null if it does not exist, or the caller may not read it. */
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

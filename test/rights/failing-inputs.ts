import { newKey, payinInput, payoutInput } from '../support/inputs.ts'
import { mutate, type MutationName } from '../support/mutations.ts'
import type { Network } from '../support/network.ts'
import { linkInput } from '../support/operations.ts'
import { createPayin } from '../support/payins.ts'

type Inputs = readonly (readonly [name: string, variables: Readonly<Record<string, unknown>>])[]

/** How often the payments API answers 429: more often than it is called in a run. */
const ALWAYS = 1_000_000

/** Returns inputs of mutations that end in each expected failure, also if they are repeated. */
export async function failingInputs(
  network: Network,
  { applied, unpaid }: { readonly applied: string; readonly unpaid: string },
): Promise<Inputs> {
  const taken = linkInput()
  await send(network, 'createPaymentLink', taken, 'CreatePaymentLinkSuccess')
  const description = 'Changed their mind'
  const inputs: [MutationName | 'replayWebhookDelivery', Record<string, unknown>][] = [
    ['createPaymentLink', linkInput({ reference: '' })],
    ['createPaymentLink', { ...taken, reference: 'another' }],
    ['createPaymentLink', linkInput({ amount: { value: '1000000', currency: 'AUD' } })],
    ['createPaymentLink', linkInput({ methodCode: 'au_none_aud' })],
    ['createPaymentLink', linkInput({ amount: { value: '5000', currency: 'XAF' }, methodCode: undefined })],
    ['createPayout', await withoutAnswer(network)],
    ['createPayin', await refused(network)],
    ['refundPayment', { idempotencyKey: newKey(), paymentId: 'nobody', description }],
    ['refundPayment', { idempotencyKey: newKey(), paymentId: unpaid, description }],
    ['refundPayment', { idempotencyKey: newKey(), paymentId: await mobileMoney(network), description }],
    ['replayWebhookDelivery', { deliveryId: applied }],
    ['simulatePayin', { paymentId: 'nobody', outcome: 'FAILED' }],
    ['createPayin', payinInput()],
  ]
  askForPatience(network)
  return inputs.map(([name, input]) => [name, { input }])
}

/** Returns the input of a payout that was sent, and whose outcome is unknown. */
async function withoutAnswer(network: Network): Promise<Record<string, unknown>> {
  const input = payoutInput()
  network.sandbox.control.addFault({ method: 'POST', path: '/v2/payouts', answer: { status: 503 } })
  await send(network, 'createPayout', input, 'PaymentsOutcomeUnknownError')
  return input
}

async function refused(network: Network): Promise<Record<string, unknown>> {
  const input = payinInput()
  const body = { errors: { code: 'ODD', message: 'This is odd.', amount: 'is odd' } }
  network.sandbox.control.addFault({ method: 'POST', path: '/v2/payins', answer: { status: 422, body } })
  await send(network, 'createPayin', input, 'PaymentsUpstreamRejectedError')
  return input
}

/** Makes every further creation of a payin fail with 429. */
function askForPatience({ sandbox }: Network): void {
  const answer = { status: 429, headers: { 'retry-after': '7' } }
  sandbox.control.addFault({ method: 'POST', path: '/v2/payins', times: ALWAYS, answer })
}

async function mobileMoney(network: Network): Promise<string> {
  const { id } = await createPayin(network, {
    amount: { value: '500', currency: 'KES' },
    methodCode: 'ke_mobile_money_kes',
    methodFields: { phone: '+254712345678' },
  })
  await network.sandbox.control.setStatus(id, 'received')
  return id
}

async function send(network: Network, name: MutationName, input: Record<string, unknown>, ends: string): Promise<void> {
  // Of the callers of the matrix, those with this subject share the idempotency keys.
  const token = await network.token({ subject: 'back-office' })
  const { __typename } = await mutate(network, name, input, { token })
  if (__typename !== ends) throw new Error(`${name} ended as ${__typename}, not as ${ends}.`)
}

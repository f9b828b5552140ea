import { createAgreement } from './agreements.ts'
import { agreementInput, amendmentInput, gatewayInput, newKey, payinInput, payoutInput } from './inputs.ts'
import { made, mutate, type MutationName, type Result } from './mutations.ts'
import type { Network } from './network.ts'
import { createLink, linkInput } from './operations.ts'

/** What a command is given and asked of: an app, wherever it runs, and the payments API behind it. */
export type CommandWorld = Pick<Network, 'ask' | 'sandbox'>

export type PreparedCommand = {
  /** An input that every rule allows, under a key that nobody has used. */
  readonly input: Readonly<Record<string, unknown>>
  /** The same with something else asked for. */
  readonly other: Readonly<Record<string, unknown>>
}

/** A mutation that is carried out at most once for a key. */
export type CommandKind = {
  readonly name: MutationName
  /** What it asks of the payments API: a POST to this path after `/api`. */
  readonly path: string
  readonly key: 'idempotencyKey' | 'clientTransactionId'
  readonly longestKey: number
  /** Makes what the command is about. */
  readonly prepare: (fixture: CommandWorld) => Promise<PreparedCommand>
}

const AGREEMENTS = '/v1/pay_to/payment_agreement'
const BY_KEY = { key: 'idempotencyKey', longestKey: 255 } as const

/** Every mutation that sends something under a key of the caller's. */
export const COMMANDS: readonly CommandKind[] = [
  {
    ...BY_KEY,
    name: 'createPaymentLink',
    path: '/v3/payin_links',
    prepare: async () => changed(linkInput(), { reference: 'another' }),
  },
  {
    ...BY_KEY,
    name: 'createPayin',
    path: '/v2/payins',
    prepare: async () => changed(payinInput(), { reference: 'another' }),
  },
  {
    ...BY_KEY,
    name: 'createGatewayPayment',
    path: '/v1/payment_gateways/create_payment',
    prepare: async () => changed(gatewayInput(), { description: 'Another order' }),
  },
  {
    ...BY_KEY,
    name: 'refundPayment',
    path: '/v3/payin_links/refund',
    prepare: async (fixture) => {
      const paymentId = await paidPayment(fixture)
      const input = { idempotencyKey: newKey(), paymentId, description: 'Changed their mind' }
      return changed(input, { description: 'Sent twice' })
    },
  },
  {
    name: 'createPaymentAgreement',
    path: AGREEMENTS,
    key: 'clientTransactionId',
    longestKey: 90,
    prepare: async () => changed(agreementInput(), { description: 'Membership of another club' }),
  },
  {
    ...BY_KEY,
    name: 'amendPaymentAgreement',
    path: `${AGREEMENTS}/amendment`,
    prepare: async (fixture) =>
      changed(amendmentInput(await activeAgreement(fixture)), { limit: { value: '301', currency: 'AUD' } }),
  },
  {
    ...BY_KEY,
    name: 'changePaymentAgreementStatus',
    path: `${AGREEMENTS}/change_status`,
    prepare: async (fixture) => {
      const input = { idempotencyKey: newKey(), id: await activeAgreement(fixture), status: 'SUSPENDED' }
      return changed(input, { status: 'CANCELLED' })
    },
  },
  {
    ...BY_KEY,
    name: 'createPayout',
    path: '/v2/payouts',
    prepare: async () => changed(payoutInput(), { description: 'Something else' }),
  },
  {
    ...BY_KEY,
    name: 'cancelScheduledPayout',
    path: '/v2/payouts/cancel_scheduled',
    prepare: async (fixture) => {
      const [id, another] = [await scheduledPayout(fixture), await scheduledPayout(fixture)]
      return changed({ idempotencyKey: newKey(), id }, { id: another })
    },
  },
]

/** The id of what a command made or changed; null where it did neither. */
export function resultId({ link, payment, agreement, payout, ...rest }: Result): string | null {
  const gatewayPayment = typeof rest['paymentId'] === 'string' ? rest['paymentId'] : null
  return (link ?? payment ?? agreement ?? payout)?.id ?? gatewayPayment
}

function changed(input: Record<string, unknown>, over: Record<string, unknown>): PreparedCommand {
  return { input, other: { ...input, ...over } }
}

/** The id of a payment that was made through a link. */
async function paidPayment({ ask, sandbox }: CommandWorld): Promise<string> {
  const { id } = await createLink({ ask })
  await sandbox.control.setStatus(id, 'received')
  return sandbox.control.state().links.find(({ uuid }) => uuid === id)?.paymentUuid ?? ''
}

/** The id of an agreement that its payer has accepted. */
async function activeAgreement({ ask, sandbox }: CommandWorld): Promise<string> {
  const { id, serviceId } = await createAgreement({ ask })
  await sandbox.control.setAgreementStatus(serviceId, 'active')
  return id
}

/** The id of a payout that waits for tomorrow. */
async function scheduledPayout({ ask, sandbox }: CommandWorld): Promise<string> {
  const scheduledAt = new Date(Date.now() + 24 * 3_600_000).toISOString()
  const { id } = await made(mutate({ ask }, 'createPayout', payoutInput({ scheduledAt })), 'payout')
  await sandbox.settle()
  return id
}

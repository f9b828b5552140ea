import { createAgreement } from './agreements.ts'
import {
  agreementInput,
  amendmentInput,
  contactInput,
  customerInput,
  gatewayInput,
  newKey,
  payinInput,
  payoutInput,
  personInput,
} from './inputs.ts'
import { made, mutate, type MutationName, type Result } from './mutations.ts'
import type { Network } from './network.ts'
import { createLink, linkInput } from './operations.ts'
import { v1PayoutFileInput } from './payouts.ts'

/** Environment of a command: an app, in any process, and the payments API behind it. */
export type CommandWorld = Pick<Network, 'ask' | 'sandbox'>

export type PreparedCommand = {
  /** An input that is valid under every rule, with an unused key. */
  readonly input: Readonly<Record<string, unknown>>
  /** The same input with the same key and a different content. */
  readonly other: Readonly<Record<string, unknown>>
}

/** A mutation that is carried out at most once per key. */
export type CommandKind = {
  readonly name: MutationName
  /** Path of the POST to the payments API, after `/api`. */
  readonly path: string
  readonly key: 'idempotencyKey' | 'clientTransactionId'
  readonly longestKey: number
  /** Creates the objects that the command needs. */
  readonly prepare: (fixture: CommandWorld) => Promise<PreparedCommand>
}

const AGREEMENTS = '/v1/pay_to/payment_agreement'
const BY_KEY = { key: 'idempotencyKey', longestKey: 255 } as const

/** All mutations that send something to the payments API under a key of the caller, for an app with `V1_SITES`. */
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
    ...BY_KEY,
    name: 'cancelPayin',
    path: '/v2/payins/cancel',
    prepare: async (fixture) => {
      const paymentId = await pendingPayin(fixture)
      return changed({ idempotencyKey: newKey(), paymentId }, { paymentId: await pendingPayin(fixture) })
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
    name: 'createPayoutFromFile',
    path: '/v1/payouts',
    prepare: async () => changed(v1PayoutFileInput(), { description: 'Something else' }),
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
  {
    ...BY_KEY,
    name: 'createPaymentCustomer',
    path: '/v2/customers',
    prepare: async () => changed(customerInput(), { person: personInput() }),
  },
  {
    ...BY_KEY,
    name: 'updatePaymentCustomer',
    path: '/v2/customers/update',
    prepare: async (fixture) => {
      const customerId = await customer(fixture)
      return changed(customerInput({ customerId }), { customerId: await customer(fixture) })
    },
  },
  {
    ...BY_KEY,
    name: 'createPaymentContact',
    path: '/v2/contacts',
    prepare: async () => changed(contactInput(), { person: personInput() }),
  },
]

/** Returns the id of the object that a command created or changed; null if there is none. */
export function resultId({
  link,
  payment,
  agreement,
  payout,
  customer: person,
  contact,
  ...rest
}: Result): string | null {
  const gatewayPayment = typeof rest['paymentId'] === 'string' ? rest['paymentId'] : null
  return (link ?? payment ?? agreement ?? payout ?? person)?.id ?? contact?.personal?.email ?? gatewayPayment
}

function changed(input: Record<string, unknown>, over: Record<string, unknown>): PreparedCommand {
  return { input, other: { ...input, ...over } }
}

/** Creates a payment through a link. Returns its id. */
async function paidPayment({ ask, sandbox }: CommandWorld): Promise<string> {
  const { id } = await createLink({ ask })
  await sandbox.control.setStatus(id, 'received')
  return sandbox.control.state().links.find(({ uuid }) => uuid === id)?.paymentUuid ?? ''
}

/** Creates a payin, whose payer does nothing yet. Returns its id. */
async function pendingPayin({ ask }: CommandWorld): Promise<string> {
  return (await made(mutate({ ask }, 'createPayin', payinInput()), 'payment')).id
}

/** Creates an agreement that its payer accepts. Returns its id. */
async function activeAgreement({ ask, sandbox }: CommandWorld): Promise<string> {
  const { id, serviceId } = await createAgreement({ ask })
  await sandbox.control.setAgreementStatus(serviceId, 'active')
  return id
}

/** Creates a customer. Returns its id. */
async function customer({ ask }: CommandWorld): Promise<string> {
  return (await made(mutate({ ask }, 'createPaymentCustomer', customerInput()), 'customer')).id
}

/** Creates a payout that is scheduled for tomorrow. Returns its id. */
async function scheduledPayout({ ask, sandbox }: CommandWorld): Promise<string> {
  const scheduledAt = new Date(Date.now() + 24 * 3_600_000).toISOString()
  const { id } = await made(mutate({ ask }, 'createPayout', payoutInput({ scheduledAt })), 'payout')
  await sandbox.settle()
  return id
}

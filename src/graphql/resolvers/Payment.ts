import type { Money } from '../../domain/money/money.ts'
import { nextAction } from '../../domain/payments/next-action.ts'
import { factsOf } from '../../domain/payments/payment-status.ts'
import type { Payment as PaymentState } from '../../domain/payments/payment.ts'
import { refundsOf } from '../../domain/payments/refund.ts'
import { eventPage } from '../arguments/event-page.ts'
import type { Context } from '../context.ts'
import type { PaymentResolvers, PaymentStatus } from '../generated.ts'
import { nodeIdOf } from '../node-id.ts'
import { demandToken } from '../rights/demand-scopes.ts'
import { mayReadPayment } from '../rights/rights.ts'
import { presentable } from '../views/presentable.ts'

export const Payment: PaymentResolvers = {
  nodeId: ({ id }) => nodeIdOf('Payment', id),
  link: (payment, _args, context) => linkOf(payment, context),
  site: async (payment, _args, context) => (await madeAs(payment, context))?.site ?? null,
  reference: async (payment, _args, context) =>
    (await madeAs(payment, context))?.reference ?? payment.details.reference,
  status: (payment) => (payment.status === null ? 'UNRECOGNISED' : (payment.status.toUpperCase() as PaymentStatus)),
  terminal: (payment) => payment.status !== null && factsOf(payment.status).terminal,
  amount: (payment) => required(amountOf(payment, 'amount')),
  total: (payment) => amountOf(payment, 'total'),
  paid: (payment) => amountOf(payment, 'paid'),
  refunded: (payment) => amountOf(payment, 'refunded'),
  refundable: ({ details }) => details.refundable,
  refunds: (payment) => refundsOf(payment).map((refund) => ({ refund, payment })),
  duplicate: (payment, _args, { loaders }) => loaders.duplicateOf.load(payment.id),
  method: async (payment, _args, context) => {
    const code = await methodCodeOf(payment, context)
    return code === null ? null : context.loaders.methodByCode.load(code)
  },
  methodRaw: ({ details }) => details.methodRaw,
  card: ({ details }) => details.card,
  payer: (payment, _args, { loaders }) => loaders.payerByPayment.load(payment.id),
  nextAction: async (payment, _args, context) => nextAction(payment, await linkOf(payment, context), context.clock()),
  failure: ({ details, status, updatedAt }) =>
    status === 'failed'
      ? { codeRaw: details.failureCode ?? '', upstreamMessage: details.failureMessage, failedAt: updatedAt }
      : null,
  // After a failure the customer cannot use the instructions.
  instructions: ({ details, status }) => (status === 'failed' ? null : details.instructions),
  expiresAt: ({ details }) => details.expiresAt,
  createdAt: ({ details }) => details.createdAt,
  events: (payment, args, context) => eventPage({ streamIds: [payment.streamId] }, args, context),
  __resolveReference: async ({ id }, context) => {
    demandToken(context.caller)
    const payment = presentable(await context.loaders.paymentById.load(id))
    return payment !== null && (await mayReadPayment(context, payment)) ? payment : null
  },
}

async function linkOf(payment: PaymentState, { loaders }: Context) {
  return payment.linkRef === null ? null : loaders.linkByRef.load(payment.linkRef)
}

/** Returns the payment's link, or its direct payin; null if the payment is known only from the payments API. */
async function madeAs(payment: PaymentState, context: Context) {
  return (await linkOf(payment, context)) ?? context.loaders.payinByPayment.load(payment.id)
}

function amountOf({ details }: PaymentState, which: 'amount' | 'total' | 'paid' | 'refunded'): Money | null {
  const value = details[which]
  return value === null || details.currency === null ? null : { value, currency: details.currency }
}

/** Returns the amount. Throws `TypeError` for null, which cannot occur: payments without an amount are never a parent. */
function required(amount: Money | null): Money {
  if (amount === null) throw new TypeError('A payment without an amount was shown.')
  return amount
}

/** Returns the method's code. If the payments API reports a word such as `card` and no code, this is the code of the link or payin. */
async function methodCodeOf(payment: PaymentState, context: Context): Promise<string | null> {
  const raw = payment.details.methodRaw
  const preselected = (await madeAs(payment, context))?.methodCode ?? null
  if (raw === null || !raw.includes('_')) return preselected
  return raw
}

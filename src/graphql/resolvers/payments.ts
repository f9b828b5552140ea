import { hasScope } from '../../access/caller.ts'
import { TEXT, textProblem } from '../../domain/field-problems.ts'
import { OPEN_AMOUNT, parseMethodCode, traitsOf } from '../../domain/methods/payin-method.ts'
import { type Money, withDecimals, exponentOf } from '../../domain/money/money.ts'
import { describeFailure } from '../../domain/payments/failures/describe-failure.ts'
import { accountIn, entryOf } from '../../domain/payments/instructions.ts'
import { nextAction, nextActionLabel } from '../../domain/payments/next-action.ts'
import { factsOf, refundId, refundsOf } from '../../domain/payments/payment-report.ts'
import { methodCodeOf, type Payment as PaymentState } from '../../domain/payments/payment.ts'
import { refundableAmount, refundBar, refundExpiresAt } from '../../domain/payments/refund-rules.ts'
import { unseal } from '../../keys/derived-secrets.ts'
import { tidied } from '../../lib/text.ts'
import { SEARCH_FIELDS } from '../../store/port.ts'
import { filteredList, pageSize, eventPage, nodeIdOf } from '../arguments/arguments.ts'
import type { Context } from '../context.ts'
import { badArgument } from '../error-formatter.ts'
import type { PayinStatus } from '../generated.ts'
import { countedPage, type FailureView, type RefundView, type AreaResolvers } from '../models.ts'
import { ownFilter, mayReadPayment, keyHolder, nameOf, statusTokenFor, demandToken } from '../rights/rights.ts'
import { followOf } from '../subscriptions/stream-source.ts'
import { presentable, failureResult } from '../views/views.ts'
import { ownerOf } from './links.ts'

/** The fields that a payment and its snapshots have in common. */
const stateFields = {
  status: (payment: PaymentState) =>
    payment.status === null ? 'UNRECOGNISED' : (payment.status.toUpperCase() as PayinStatus),
  amount: (payment: PaymentState) => required(amountOf(payment, 'amount')),
  total: (payment: PaymentState) => amountOf(payment, 'total'),
  paid: (payment: PaymentState) => amountOf(payment, 'paid'),
  refunded: (payment: PaymentState) => amountOf(payment, 'refunded'),
  refunds: (payment: PaymentState) => refundsOf(payment).map((refund) => ({ refund, payment })),
  failure: ({ details, status, updatedAt }: PaymentState) =>
    status === 'failed'
      ? { codeRaw: details.failureCode ?? '', upstreamMessage: details.failureMessage, failedAt: updatedAt }
      : null,
}

export const paymentsResolvers = {
  Query: {
    payment: async (_root, { id, statusToken }, context) => {
      const found = presentable(await context.loaders.paymentById.load(id))
      return found !== null && (await mayReadPayment(context, found, statusToken)) ? found : null
    },
    payments: (_root, args, context) =>
      filteredList(
        'payments',
        { ...args, filter: ownFilter(context, args.filter, { name: 'Query.payments', scope: 'payments:read' }) },
        context,
        { store: context.store.payments, show: context.loaders.paymentById.of },
      ),
    paymentSearch: async (_root, { text, first }, { store, caller, loaders }) => {
      const limit = pageSize(first)
      const wanted = searchedText(text)
      const problem = textProblem(wanted, TEXT, ['text'])
      if (problem !== null) throw badArgument('text', problem.message)
      // What a search finds says what a payer is called, also to a caller who does not read the name itself.
      const searched = SEARCH_FIELDS.filter((field) => !FIELDS_OF_PAYERS.has(field) || hasScope(caller, 'payments:pii'))
      const { matches, more } = await store.payments.search({ text: wanted, fields: searched, limit })
      return {
        searched,
        matches: matches.map(({ payment, link, fields }) => ({
          payment: payment && loaders.paymentById.of(payment),
          link: link && loaders.linkById.of(link),
          fields: [...fields],
        })),
        hasMore: more,
      }
    },
  },
  Mutation: {
    createPayin: async (_root, { input }, { operations, caller, loaders }) => {
      const outcome = await operations.createPayin(input, keyHolder(caller))
      if (outcome.kind !== 'done') return failureResult(outcome)
      const payment = loaders.paymentById.of(outcome.result)
      return { __typename: 'CreatePayinSuccess', payment, replayed: outcome.replayed }
    },
    cancelPayin: async (_root, { input }, { operations, caller, loaders }) => {
      const outcome = await operations.cancelPayin(input, keyHolder(caller))
      if (outcome.kind !== 'done') return failureResult(outcome)
      const payment = loaders.paymentById.of(outcome.result)
      return { __typename: 'CancelPayinSuccess', payment, replayed: outcome.replayed }
    },
    refreshPayment: async (_root, { id }, { operations, caller, loaders }) => {
      const outcome = await operations.refreshPayment(id, {
        mayFind: hasScope(caller, 'payments:reconcile'),
        requestedBy: nameOf(caller),
      })
      if (outcome.kind !== 'done') return failureResult(outcome)
      const { payment, link, changed } = outcome
      return {
        __typename: 'RefreshPaymentSuccess',
        payment: payment && presentable(await loaders.paymentById.of(payment)),
        link: link && loaders.linkById.of(link),
        changed,
      }
    },
    simulatePayin: async (_root, { input }, { operations }) => {
      const outcome = await operations.simulatePayin(input)
      return outcome.kind === 'done'
        ? { __typename: 'SimulationAccepted', response: outcome.response }
        : failureResult(outcome)
    },
  },
  Subscription: {
    paymentUpdates: {
      subscribe: async (_root, args, context) => {
        const snapshot = await context.store.payments.snapshot(args.id)
        const mayRead = snapshot !== null && (await mayReadPayment(context, snapshot.payment, args.statusToken))
        const owned = mayRead ? (snapshot.link ?? (await context.loaders.payinByPayment.load(args.id))) : null
        return followOf('paymentUpdates', { of: 'payment', snapshot: mayRead ? snapshot : null, owned }, args, context)
      },
    },
  },
  PaymentConnection: countedPage,
  Payment: {
    ...stateFields,
    nodeId: ({ id }) => nodeIdOf('Payment', id),
    link: (payment, _args, context) => linkOf(payment, context),
    dispute: ({ dispute, details }) => (dispute ? { ...dispute, amount: moneyIn(details, dispute.amount) } : null),
    site: async (payment, _args, context) => (await madeAs(payment, context))?.site ?? null,
    reference: async (payment, _args, context) =>
      (await madeAs(payment, context))?.reference ?? payment.details.reference,
    owner: async (payment, _args, context) => ownerOf((await madeAs(payment, context)) ?? { ownerId: null }),
    terminal: (payment) => payment.status !== null && factsOf(payment.status).terminal,
    requestedAmount: async (payment, _args, context) => {
      const requested = (await madeAs(payment, context))?.requestedAmount ?? null
      return requested?.value === OPEN_AMOUNT ? null : requested
    },
    refundable: ({ details }) => details.refundable,
    refundableAmount: async (payment, _args, context) => {
      const code = methodCodeOf(payment, await madeAs(payment, context))
      const traits = code === null ? { refundable: null } : traitsOf(parseMethodCode(code).kind)
      const { currency } = payment.details
      const value = refundBar(payment, traits) === null ? refundableAmount(payment) : null
      return value === null || currency === null ? null : { value, currency }
    },
    gst: ({ details }) => details.gst,
    gstAmount: (payment) => amountOf(payment, 'gstAmount'),
    duplicate: (payment, _args, { loaders }) => loaders.duplicateOf.load(payment.id),
    method: async (payment, _args, context) => {
      const code = methodCodeOf(payment, await madeAs(payment, context))
      return code === null ? null : context.loaders.methodByCode.load(code)
    },
    methodRaw: ({ details }) => details.methodRaw,
    card: ({ details }) => details.card,
    payer: (payment, _args, { loaders }) => loaders.payerByPayment.load(payment.id),
    commands: async ({ id }, _args, { loaders }) => [...((await loaders.commandsOf.load(id)) ?? [])],
    notes: async ({ id }, _args, { loaders }) => [...((await loaders.notesOf.load(id)) ?? [])],
    cardToken: async ({ id }, _args, { loaders, keys }) => {
      const sealed = await loaders.cardTokenByPayment.load(id)
      return sealed === null ? null : (unseal(keys, 'card token', sealed) as string | null)
    },
    nextAction: async (payment, _args, context) => nextAction(payment, await linkOf(payment, context), context.clock()),
    // After a failure the customer cannot use the instructions.
    instructions: ({ details, status }) => (status === 'failed' ? null : details.instructions),
    expiresAt: ({ details }) => details.expiresAt,
    createdAt: ({ details }) => details.createdAt,
    events: (payment, args, context) => eventPage({ streamIds: [payment.streamId] }, args, context),
    statusToken: ({ id, details, updatedAt }, _args, { keys }) =>
      statusTokenFor(keys, id, details.expiresAt ?? updatedAt),
    __resolveReference: async ({ id }, context) => {
      demandToken(context)
      const payment = presentable(await context.loaders.paymentById.load(id))
      return payment !== null && (await mayReadPayment(context, payment)) ? payment : null
    },
  },
  PaymentInstructions: {
    qrContent: (given) => entryOf(given, 'qr_string', 'qr_code', 'qr_content'),
    url: (given) => entryOf(given, 'payment_url', 'redirect_url', 'pay_url'),
    alias: (given) => entryOf(given, 'pay_id'),
    account: accountIn,
    message: (given) => entryOf(given, 'message'),
    raw: (given) => given,
  },
  PaymentTransferAccount: {
    bankName: (account) => entryOf(account, 'bank_name'),
    swiftCode: (account) => entryOf(account, 'swift_code'),
    branchCode: (account) => entryOf(account, 'branch_code'),
    branchName: (account) => entryOf(account, 'branch_name'),
    accountNumber: (account) => entryOf(account, 'account_number') ?? '',
    accountType: (account) => entryOf(account, 'account_type'),
    accountName: (account) => entryOf(account, 'account_name'),
    reference: (account) => entryOf(account, 'transfer_id', 'transfer_name', 'reference', 'description'),
  },
  PaymentSnapshot: stateFields,
  PaymentAmount: {
    value: ({ value, currency }) => withDecimals(value, exponentOf(currency)),
    exponent: ({ currency }) => exponentOf(currency),
  },
  PaymentNextAction: {
    label: (action, { locale }) => nextActionLabel(action.kind, locale ?? null),
  },
  PaymentFailure: {
    code: (failure, _args, context) => describe(failure, context).code,
    category: (failure, _args, context) => describe(failure, context).category,
    retry: (failure, _args, context) => describe(failure, context).retry,
    retryNotBefore: (failure, _args, context) => describe(failure, context).retryNotBefore,
    customerMessage: (failure, { locale }, context) => describe(failure, context).customerMessage(locale ?? null),
  },
} satisfies AreaResolvers

const FIELDS_OF_PAYERS: ReadonlySet<string> = new Set(['PAYER_NAME', 'PAYER_EMAIL'])

async function linkOf(payment: PaymentState, { loaders }: Context) {
  return payment.linkRef === null ? null : loaders.linkByRef.load(payment.linkRef)
}

/** Returns the payment's link, or its direct payin; null if the payment is known only from the payments API. */
async function madeAs(payment: PaymentState, context: Context) {
  return (await linkOf(payment, context)) ?? context.loaders.payinByPayment.load(payment.id)
}

type AmountName = 'amount' | 'total' | 'paid' | 'refunded' | 'refundTotal' | 'gstAmount'

function amountOf({ details }: PaymentState, which: AmountName): Money | null {
  return moneyIn(details, details[which])
}

function moneyIn({ currency }: PaymentState['details'], value: string | null): Money | null {
  return value === null || currency === null ? null : { value, currency }
}

/** Returns the amount. Throws `TypeError` for null, which cannot occur: payments without an amount are never a parent. */
function required(amount: Money | null): Money {
  if (amount === null) throw new TypeError('A payment without an amount was shown.')
  return amount
}

function describe({ codeRaw, failedAt }: FailureView, { caller }: Context) {
  return describeFailure({ codeRaw, failedAt, maySeeRisk: hasScope(caller, 'payments:risk') })
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

/**
 * Returns what is searched for: of the address of a page its last uuid or else the last segment of its path, of any other text the text
 * in composed letters, without spaces around it.
 */
export function searchedText(text: string): string {
  const given = tidied(text)
  if (!/^https?:\/\//i.test(given) || !URL.canParse(given)) return given
  const segment = new URL(given).pathname.split('/').findLast((part) => part !== '')
  return given.match(UUID)?.at(-1) ?? segment ?? given
}

export const refundsResolvers = {
  Mutation: {
    refundPayment: async (_root, { input }, { operations, caller, loaders }) => {
      const outcome = await operations.refundPayment(input, keyHolder(caller))
      if (outcome.kind !== 'done') return failureResult(outcome)
      const { payment, requestedAt } = outcome.result
      return {
        __typename: 'RefundPaymentSuccess',
        payment: loaders.paymentById.of(payment),
        refundExpiresAt: refundExpiresAt(requestedAt),
        replayed: outcome.replayed,
      }
    },
    dismissDuplicatePayment: async (_root, { input }, { operations, caller, loaders }) => {
      const outcome = await operations.dismissDuplicate(input.paymentId, nameOf(caller))
      if (outcome.kind !== 'done') return failureResult(outcome)
      const payment = presentable(await loaders.paymentById.of(outcome.payment))
      return { __typename: 'DismissDuplicatePaymentSuccess', payment }
    },
  },
  PaymentRefund: {
    id: idOfRefund,
    nodeId: (view) => nodeIdOf('PaymentRefund', idOfRefund(view)),
    state: ({ refund }) => refund.state,
    amount: amountOfRefund,
    totalAmount: ({ payment }) => amountOf(payment, 'refundTotal'),
    requestedHere: ({ refund }) => refund.commandId !== null,
    requestedAt: ({ refund }) => refund.requestedAt,
    settledAt: ({ refund }) => refund.settledAt,
    expiresAt: ({ refund: { state, requestedAt } }) =>
      state === 'PENDING' && requestedAt !== null ? refundExpiresAt(new Date(requestedAt)) : null,
    idempotencyKey: async (view, _args, context) => (await requestOf(view, context))?.idempotencyKey ?? null,
    description: async (view, _args, context) => (await requestOf(view, context))?.reason ?? null,
    __resolveReference: async ({ id }, context) => {
      demandToken(context)
      const payment = presentable(await context.loaders.paymentById.load(paymentIdOf(id)))
      return payment !== null && (await mayReadPayment(context, payment)) ? refundIn(payment, id) : null
    },
  },
  PaymentRefundSnapshot: {
    refundId: idOfRefund,
    state: ({ refund }) => refund.state,
    amount: amountOfRefund,
  },
  DuplicatePayment: {
    other: async ({ otherId }, _args, context) => {
      const payment = otherId === null ? null : presentable(await context.loaders.paymentById.load(otherId))
      return payment !== null && (await mayReadPayment(context, payment)) ? payment : null
    },
  },
} satisfies AreaResolvers

/** Returns the id of the payment with which the id of a refund begins. */
export function paymentIdOf(refund: string): string {
  return refund.slice(0, Math.max(0, refund.lastIndexOf('-')))
}

/** Returns the refund of a payment that has an id; null if there is none. */
export function refundIn(payment: PaymentState, id: string): RefundView | null {
  const refund = refundsOf(payment).find((one) => refundId(payment.id, one) === id)
  return refund === undefined ? null : { refund, payment }
}

function idOfRefund({ refund, payment }: RefundView): string {
  return refundId(payment.id, refund)
}

function amountOfRefund({ refund, payment }: RefundView): Money | null {
  return moneyIn(payment.details, refund.amount)
}

function requestOf(view: RefundView, { loaders }: Context) {
  return loaders.refundRequest.load(view.refund.commandId ?? idOfRefund(view))
}

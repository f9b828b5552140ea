import type { RequestedAgreementStatus } from '../../domain/agreements/agreement-report.ts'
import type { Agreement } from '../../domain/agreements/agreement.ts'
import type { StreamItem } from '../../streams/stream-item.ts'
import { filteredList, eventPage, nodeIdOf } from '../arguments/arguments.ts'
import type { Context } from '../context.ts'
import { badArgument } from '../error-formatter.ts'
import type { PaymentAgreementPurpose, PaymentAgreementStatus } from '../generated.ts'
import { countedPage, type AreaResolvers } from '../models.ts'
import {
  ownFilter,
  demandToken,
  keyHolder,
  mayReadAgreement,
  statusTokenFor,
  visibleAgreement,
} from '../rights/rights.ts'
import { followOf } from '../subscriptions/stream-source.ts'
import { failureResult } from '../views/views.ts'
import { ownerOf } from './links.ts'

export const agreementsResolvers = {
  Query: {
    paymentAgreement: async (_root, { id, clientTransactionId, statusToken }, context) => {
      if ((id == null) === (clientTransactionId == null))
        throw badArgument('id', 'or clientTransactionId must be given, and only one')
      const found =
        id == null
          ? context.loaders.agreementByClientId.load(clientTransactionId ?? '')
          : context.loaders.agreementById.load(id)
      return visibleAgreement(context, await found, statusToken)
    },
    paymentAgreements: (_root, args, context) =>
      filteredList(
        'agreements',
        {
          ...args,
          filter: ownFilter(context, args.filter, { name: 'Query.paymentAgreements', scope: 'agreements:read' }),
        },
        context,
        {
          store: context.store.agreements,
          show: context.loaders.agreementById.of,
        },
      ),
  },
  Mutation: {
    createPaymentAgreement: async (_root, { input }, { operations, caller, loaders }) => {
      const outcome = await operations.createPaymentAgreement(input, keyHolder(caller))
      return outcome.kind === 'done' ? success(outcome, loaders) : failureResult(outcome)
    },
    amendPaymentAgreement: async (_root, { input }, { operations, caller, loaders }) => {
      const outcome = await operations.amendPaymentAgreement(input, keyHolder(caller))
      return outcome.kind === 'done' ? success(outcome, loaders) : failureResult(outcome)
    },
    changePaymentAgreementStatus: async (_root, { input }, { operations, caller, loaders }) => {
      const status = input.status.toLowerCase() as RequestedAgreementStatus
      const outcome = await operations.changePaymentAgreementStatus({ ...input, status }, keyHolder(caller))
      return outcome.kind === 'done' ? success(outcome, loaders) : failureResult(outcome)
    },
  },
  Subscription: {
    paymentAgreementUpdates: {
      subscribe: async (_root, args, context) => {
        const snapshot = await context.store.agreements.snapshot(args.id)
        const owned = snapshot?.agreement ?? null
        const mayRead = owned !== null && mayReadAgreement(context, owned, args.statusToken)
        return followOf(
          'paymentAgreementUpdates',
          { of: 'agreement', snapshot: mayRead ? snapshot : null, owned },
          args,
          context,
        )
      },
      // Its owner or a status token, neither of which is known where an item is executed, may be why it is followed.
      resolve: ({ paymentAgreementUpdates: item }: { readonly paymentAgreementUpdates: StreamItem }) => ({
        ...item,
        isOfAgreement: true,
      }),
    },
  },
  PaymentAgreementConnection: countedPage,
  PaymentAgreement: {
    nodeId: ({ id }) => nodeIdOf('PaymentAgreement', id),
    serviceId: (agreement) => known(agreement.serviceId),
    clientTransactionId: (agreement) => known(agreement.clientTransactionId),
    status: ({ status }) => (status === null ? 'UNRECOGNISED' : (status.toUpperCase() as PaymentAgreementStatus)),
    description: (agreement) => known(agreement.description),
    limit: (agreement) => ({ value: known(agreement.limit), currency: 'AUD' }),
    purpose: ({ purpose }): PaymentAgreementPurpose => purpose ?? 'UNRECOGNISED',
    purposeRaw: ({ purposeRaw }) => purposeRaw ?? '',
    amountRule: ({ amountRule }) => amountRule ?? 'UNRECOGNISED',
    frequency: ({ frequency }) => frequency ?? 'UNRECOGNISED',
    startDate: (agreement) => known(agreement.startDate),
    payer: async ({ id }, _args, { loaders }) => {
      const payer = await loaders.agreementPayer.load(id)
      return payer === null || payer.name === null ? null : { ...payer, name: payer.name }
    },
    owner: ownerOf,
    createdAt: (agreement) => known(agreement.createdAt),
    events: (agreement, args, context) => eventPage({ streamIds: [agreement.streamId] }, args, context),
    statusToken: (agreement, _args, { keys }) =>
      statusTokenFor(keys, agreement.id, new Date(Date.parse(known(agreement.createdAt)) + READABLE_MS).toISOString()),
    __resolveReference: async (reference, context) => {
      demandToken(context)
      const found =
        'id' in reference
          ? context.loaders.agreementById.load(reference.id)
          : context.loaders.agreementByClientId.load(reference.clientTransactionId)
      return visibleAgreement(context, await found)
    },
  },
} satisfies AreaResolvers

/** How long after its creation an agreement can be read with its status token, in milliseconds. */
const READABLE_MS = 30 * 24 * 3_600_000

function success(
  { result, replayed }: { readonly result: Agreement; readonly replayed: boolean },
  { agreementById }: Context['loaders'],
) {
  return { __typename: 'PaymentAgreementSuccess', agreement: agreementById.of(result), replayed } as const
}

/** Returns the value. Throws `TypeError` for null, which cannot occur: agreements without one of these values are never a parent. */
function known<Value>(value: Value | null): Value {
  if (value === null) throw new TypeError('An agreement that is not fully known was shown.')
  return value
}

import type {
  AgreementStatus as WireStatus,
  RequestedAgreementStatus,
} from '../../domain/agreements/agreement-report.ts'
import { withoutNulls, connection, pageSize, placeStart, eventPage, nodeIdOf } from '../arguments/arguments.ts'
import { badArgument, notFound } from '../error-formatter.ts'
import type { AgreementPurpose, AgreementStatus } from '../generated.ts'
import type { AreaResolvers } from '../models.ts'
import { keyHolder, rightEndsAt, demandScopes } from '../rights/rights.ts'
import { streamSource } from '../subscriptions/stream-source.ts'
import { presentableAgreement, agreementSuccess, failureResult } from '../views/views.ts'

export const agreementsResolvers = {
  Query: {
    paymentAgreement: async (_root, { id, clientTransactionId }, { loaders }) => {
      if ((id == null) === (clientTransactionId == null))
        throw badArgument('id', 'or clientTransactionId must be given, and only one')
      const found =
        id == null ? loaders.agreementByClientId.load(clientTransactionId ?? '') : loaders.agreementById.load(id)
      return presentableAgreement(await found)
    },
    paymentAgreements: async (_root, args, { store, cursors }) => {
      const size = pageSize(args.first)
      const { statuses, ...instants } = withoutNulls(args.filter)
      const byInstant = Object.keys(instants).length > 0
      const before = placeStart(cursors, 'agreements', { after: args.after, byInstant })
      const filter = statuses === undefined ? instants : { ...instants, statuses: statuses.map(wireStatus) }
      const rows = await store.agreements.page({ limit: size + 1, before }, filter)
      return connection(
        { rows, size, after: args.after },
        { cursor: (place) => cursors.encodePlace('agreements', place), node: ({ row }) => row },
      )
    },
  },
  Mutation: {
    createPaymentAgreement: async (_root, { input }, { operations, caller }) => {
      const outcome = await operations.createPaymentAgreement(input, keyHolder(caller, 'agreements:read'))
      return outcome.kind === 'done' ? agreementSuccess(outcome) : failureResult(outcome)
    },
    amendPaymentAgreement: async (_root, { input }, { operations, caller }) => {
      const outcome = await operations.amendPaymentAgreement(input, keyHolder(caller, 'agreements:read'))
      return outcome.kind === 'done' ? agreementSuccess(outcome) : failureResult(outcome)
    },
    changePaymentAgreementStatus: async (_root, { input }, { operations, caller }) => {
      const status = input.status.toLowerCase() as RequestedAgreementStatus
      const outcome = await operations.changePaymentAgreementStatus(
        { ...input, status },
        keyHolder(caller, 'agreements:read'),
      )
      return outcome.kind === 'done' ? agreementSuccess(outcome) : failureResult(outcome)
    },
  },
  Subscription: {
    paymentAgreementUpdates: {
      subscribe: async (_root, { id, after }, context) => {
        const snapshot = await context.store.agreements.snapshot(id)
        if (snapshot === null) throw notFound('id')
        const { agreement, head } = snapshot
        return streamSource(
          'paymentAgreementUpdates',
          {
            streamId: agreement.streamId,
            after,
            otherwise: {
              kind: 'snapshot',
              link: null,
              payment: null,
              agreement,
              payout: null,
              gatewayPayment: null,
              head,
            },
            endsAt: rightEndsAt(context, false),
            payer: null,
          },
          context,
        )
      },
    },
  },
  PaymentAgreement: {
    nodeId: ({ id }) => nodeIdOf('PaymentAgreement', id),
    serviceId: (agreement) => known(agreement.serviceId),
    clientTransactionId: (agreement) => known(agreement.clientTransactionId),
    status: ({ status }) => (status === null ? 'UNRECOGNISED' : (status.toUpperCase() as AgreementStatus)),
    description: (agreement) => known(agreement.description),
    limit: (agreement) => ({ value: known(agreement.limit), currency: 'AUD' }),
    purpose: ({ purpose }): AgreementPurpose => purpose ?? 'UNRECOGNISED',
    purposeRaw: ({ purposeRaw }) => purposeRaw ?? '',
    amountRule: ({ amountRule }) => amountRule ?? 'UNRECOGNISED',
    frequency: ({ frequency }) => frequency ?? 'UNRECOGNISED',
    startDate: (agreement) => known(agreement.startDate),
    payer: async ({ id }, _args, { loaders }) => {
      const payer = await loaders.agreementPayer.load(id)
      return payer === null || payer.name === null ? null : { ...payer, name: payer.name }
    },
    createdAt: (agreement) => known(agreement.createdAt),
    events: (agreement, args, context) => eventPage({ streamIds: [agreement.streamId] }, args, context),
    __resolveReference: async (reference, { caller, loaders }) => {
      demandScopes(caller, 'PaymentAgreement', [['agreements:read']])
      const found =
        'id' in reference
          ? loaders.agreementById.load(reference.id)
          : loaders.agreementByClientId.load(reference.clientTransactionId)
      return presentableAgreement(await found)
    },
  },
} satisfies AreaResolvers

function wireStatus(status: string): WireStatus {
  return status.toLowerCase() as WireStatus
}

/** Returns the value. Throws `TypeError` for null, which cannot occur: agreements without one of these values are never a parent. */
function known<Value>(value: Value | null): Value {
  if (value === null) throw new TypeError('An agreement that is not fully known was shown.')
  return value
}

import type { RequestedAgreementStatus } from '../../domain/agreements/agreement-report.ts'
import type { Agreement } from '../../domain/agreements/agreement.ts'
import { filteredList, eventPage, nodeIdOf } from '../arguments/arguments.ts'
import type { Context } from '../context.ts'
import { badArgument } from '../error-formatter.ts'
import type { PaymentAgreementPurpose, PaymentAgreementStatus } from '../generated.ts'
import { countedPage, type AreaResolvers } from '../models.ts'
import { keyHolder, demandScopes } from '../rights/rights.ts'
import { followOf } from '../subscriptions/stream-source.ts'
import { presentableAgreement, failureResult } from '../views/views.ts'

export const agreementsResolvers = {
  Query: {
    paymentAgreement: async (_root, { id, clientTransactionId }, { loaders }) => {
      if ((id == null) === (clientTransactionId == null))
        throw badArgument('id', 'or clientTransactionId must be given, and only one')
      const found =
        id == null ? loaders.agreementByClientId.load(clientTransactionId ?? '') : loaders.agreementById.load(id)
      return presentableAgreement(await found)
    },
    paymentAgreements: (_root, args, context) =>
      filteredList('agreements', args, context, {
        store: context.store.agreements,
        show: context.loaders.agreementById.of,
      }),
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
        return followOf('paymentAgreementUpdates', { of: 'agreement', snapshot }, args, context)
      },
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

function success(
  { agreement, replayed }: { readonly agreement: Agreement; readonly replayed: boolean },
  { agreementById }: Context['loaders'],
) {
  return { __typename: 'PaymentAgreementSuccess', agreement: agreementById.of(agreement), replayed } as const
}

/** Returns the value. Throws `TypeError` for null, which cannot occur: agreements without one of these values are never a parent. */
function known<Value>(value: Value | null): Value {
  if (value === null) throw new TypeError('An agreement that is not fully known was shown.')
  return value
}

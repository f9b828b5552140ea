import { eventPage } from '../arguments/event-page.ts'
import type { AgreementPurpose, AgreementStatus, PaymentAgreementResolvers } from '../generated.ts'
import { nodeIdOf } from '../node-id.ts'
import { demandScopes } from '../rights/demand-scopes.ts'
import { presentableAgreement } from '../views/presentable.ts'

export const PaymentAgreement: PaymentAgreementResolvers = {
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
}

/** Returns the value. Throws `TypeError` for null, which cannot occur: agreements without one of these values are never a parent. */
function known<Value>(value: Value | null): Value {
  if (value === null) throw new TypeError('An agreement that is not fully known was shown.')
  return value
}

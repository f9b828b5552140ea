import { badArgument } from '../../error-formatter.ts'
import type { QueryResolvers } from '../../generated.ts'
import { presentableAgreement } from '../../views/presentable.ts'

export const paymentAgreement: QueryResolvers['paymentAgreement'] = async (
  _root,
  { id, clientTransactionId },
  { loaders },
) => {
  if ((id == null) === (clientTransactionId == null))
    throw badArgument('id', 'or clientTransactionId must be given, and only one')
  const found =
    id == null ? loaders.agreementByClientId.load(clientTransactionId ?? '') : loaders.agreementById.load(id)
  return presentableAgreement(await found)
}

import type { DocumentType } from '../../../domain/customers/person.ts'
import type { MutationResolvers } from '../../generated.ts'
import { failureResult } from '../../views/results.ts'

export const requestIdentityCheck: MutationResolvers['requestIdentityCheck'] = async (
  _root,
  { input },
  { operations },
) => {
  const documentType = input.documentType.toLowerCase() as DocumentType
  const outcome = await operations.requestIdentityUpload({ ...input, documentType })
  if (outcome.kind !== 'done') return failureResult(outcome)
  const { contact, uploadUrl, expiresAt } = outcome
  return { __typename: 'IdentityUpload', contact, uploadUrl, expiresAt }
}

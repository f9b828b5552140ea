import type { IdentityDocumentResolvers, IdentityDocumentType } from '../generated.ts'

export const IdentityDocument: IdentityDocumentResolvers = {
  type: ({ type }) => (type === null ? 'UNRECOGNISED' : (type.toUpperCase() as IdentityDocumentType)),
}

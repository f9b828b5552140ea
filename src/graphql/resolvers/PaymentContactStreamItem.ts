import type { PaymentContactStreamItemResolvers } from '../generated.ts'
import { shownIdentityStatus } from '../views/person-view.ts'

export const PaymentContactStreamItem: PaymentContactStreamItemResolvers = {
  kind: ({ isFirst }) => (isFirst ? 'SNAPSHOT' : 'CHANGED'),
  identityStatus: ({ identity }) => shownIdentityStatus(identity.status),
  results: ({ identity }) => identity.results,
  readAt: ({ identity }) => new Date(identity.readAt),
}

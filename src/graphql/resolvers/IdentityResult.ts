import { identityStatusOf } from '../../domain/customers/person.ts'
import type { IdentityResultResolvers } from '../generated.ts'
import { shownIdentityStatus } from '../views/person-view.ts'

export const IdentityResult: IdentityResultResolvers = {
  status: (result) => shownIdentityStatus(identityStatusOf(result)),
}

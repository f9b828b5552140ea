import { fullName, identityStatus } from '../../domain/customers/person.ts'
import { maskedName } from '../../domain/payouts/payout-report.ts'
import { maskedAlias } from '../../upstream/wire/values/mask.ts'
import type { PaymentContactResolvers } from '../generated.ts'
import { partyType, shownIdentityStatus } from '../views/person-view.ts'

export const PaymentContact: PaymentContactResolvers = {
  nameMasked: ({ personal }) => maskedName(fullName(personal)),
  emailMasked: ({ email }) => maskedAlias(email),
  type: ({ type }) => partyType(type),
  identityStatus: (contact) => shownIdentityStatus(identityStatus(contact)),
  identityResults: ({ identity }) => [...identity],
}

import { fullName } from '../../domain/customers/person.ts'
import { maskedName } from '../../domain/payouts/payout-report.ts'
import { maskedAlias } from '../../upstream/wire/values/mask.ts'
import type { PaymentCustomerResolvers } from '../generated.ts'
import { partyType } from '../views/person-view.ts'

export const PaymentCustomer: PaymentCustomerResolvers = {
  nameMasked: ({ personal }) => maskedName(fullName(personal)),
  emailMasked: ({ personal }) => maskedAlias(personal.email),
  type: ({ type }) => partyType(type),
}

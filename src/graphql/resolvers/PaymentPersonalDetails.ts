import type { PaymentPersonalDetailsResolvers } from '../generated.ts'

export const PaymentPersonalDetails: PaymentPersonalDetailsResolvers = {
  genderRaw: ({ gender }) => gender,
}

import { exponentOf } from '../../domain/currencies.ts'
import type { PaymentAmountResolvers } from '../generated.ts'

export const PaymentAmount: PaymentAmountResolvers = {
  exponent: (amount) => exponentOf(amount.currency),
}

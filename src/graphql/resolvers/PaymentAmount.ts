import { exponentOf } from '../../domain/money/currencies.ts'
import type { PaymentAmountResolvers } from '../generated.ts'

export const PaymentAmount: PaymentAmountResolvers = {
  exponent: (amount) => exponentOf(amount.currency),
}

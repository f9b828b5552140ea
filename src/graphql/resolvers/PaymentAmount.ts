import { exponentOf } from '../../domain/money/currencies.ts'
import { withDecimals } from '../../domain/money/money.ts'
import type { PaymentAmountResolvers } from '../generated.ts'

export const PaymentAmount: PaymentAmountResolvers = {
  value: ({ value, currency }) => withDecimals(value, exponentOf(currency)),
  exponent: ({ currency }) => exponentOf(currency),
}

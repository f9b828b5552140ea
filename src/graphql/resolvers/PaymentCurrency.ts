import { currencies, roundsSubmittedAmount } from '../../domain/money/currencies.ts'
import type { PaymentCurrencyResolvers } from '../generated.ts'

export const PaymentCurrency: PaymentCurrencyResolvers = {
  roundsSubmittedAmount: (currency) => roundsSubmittedAmount(currency.code),
  versions: (currency) => [...currency.versions],
  enabled: (currency, _args, { isEnabled }) => isEnabled(currency),
  __resolveReference: ({ code }) => currencies.find((currency) => currency.code === code) ?? null,
}

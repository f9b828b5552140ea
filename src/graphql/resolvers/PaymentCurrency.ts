import { currencies, roundsSubmittedAmount } from '../../domain/money/currencies.ts'
import type { PaymentCurrencyResolvers } from '../generated.ts'

export const PaymentCurrency: PaymentCurrencyResolvers = {
  roundsSubmittedAmount: (currency) => roundsSubmittedAmount(currency.code),
  versions: (currency) => [...currency.versions],
  enabled: (currency, _args, { isEnabled }) => isEnabled(currency),
  // A copy, because the `_entities` resolver of @apollo/subgraph would write `__typename` into the object.
  __resolveReference({ code }) {
    const known = currencies.find((currency) => currency.code === code)
    return known === undefined ? null : { ...known }
  },
}

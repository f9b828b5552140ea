import type { Money } from '../../domain/money/money.ts'
import type { Balances } from '../../upstream/wire/accounts/wire-balances.ts'
import type { AccountBalanceResolvers } from '../generated.ts'

export const AccountBalance: AccountBalanceResolvers = {
  available: (balances) => amountOf(balances, 'available'),
  incoming: (balances) => amountOf(balances, 'incoming'),
  outgoing: (balances) => amountOf(balances, 'outgoing'),
  rollingReserve: (balances) => amountOf(balances, 'rollingReserve'),
  withdrawable: (balances) => amountOf(balances, 'withdrawable'),
}

function amountOf(balances: Balances, which: Exclude<keyof Balances, 'currency'>): Money {
  return { value: balances[which], currency: balances.currency }
}

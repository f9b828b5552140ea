import type { Money } from '../../domain/money/money.ts'
import type { BalanceMovement as Movement } from '../../upstream/wire/accounts/wire-balance-history.ts'
import type { BalanceDirection, BalanceMovementResolvers } from '../generated.ts'

const DIRECTIONS: ReadonlyMap<string | null, BalanceDirection> = new Map([
  ['money_in', 'MONEY_IN'],
  ['money_out', 'MONEY_OUT'],
])

export const BalanceMovement: BalanceMovementResolvers = {
  amount: ({ amount, currency }) => ({ value: amount, currency }),
  direction: ({ directionRaw }) => DIRECTIONS.get(directionRaw) ?? 'UNRECOGNISED',
  outgoing: (movement) => amountOf(movement, 'outgoing'),
  total: (movement) => amountOf(movement, 'total'),
  fees: (movement) => amountOf(movement, 'fees'),
}

function amountOf(movement: Movement, which: 'outgoing' | 'total' | 'fees'): Money | null {
  const value = movement[which]
  return value === null ? null : { value, currency: movement.currency }
}

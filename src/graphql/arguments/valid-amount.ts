import { amountProblem, type Money } from '../../domain/money/money.ts'
import { badArgument } from '../error-formatter.ts'

/** Returns the amount; throws a BAD_USER_INPUT error if it is invalid, because an invalid amount cannot be compared. */
export function validAmount(amount: Money): Money {
  const problem = amountProblem(amount)
  if (problem !== null) throw badArgument('amount', problem)
  return amount
}

import { amountProblem, type Money } from '../../domain/money/money.ts'
import { badArgument } from '../error-formatter.ts'

/** The amount that a client asks about; throws what tells the client when it is none, since nothing can be compared with it. */
export function validAmount(amount: Money): Money {
  const problem = amountProblem(amount)
  if (problem !== null) throw badArgument('amount', problem)
  return amount
}

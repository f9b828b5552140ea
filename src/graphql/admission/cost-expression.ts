/** The values of an operation's variables, coerced and with their defaults. */
export type RequestVariables = Readonly<Record<string, unknown>>

/** A number that is known now, or the place of one that the variables decide. */
export type Amount = number | { readonly step: number }

type Step = (variables: RequestVariables, numbers: readonly number[]) => number

/**
 * A calculation that is written down once for a document and worked out for each request. What does not depend on
 * variables is worked out while it is written, and a part that is used twice is worked out once.
 */
export type CostExpression = {
  sum(amounts: readonly Amount[]): Amount
  /** The largest of amounts that are not negative; 0 for none. */
  largest(amounts: readonly Amount[]): Amount
  product(one: Amount, other: Amount): Amount
  /** A number that `read` takes from the variables. */
  ask(read: (variables: RequestVariables) => number): Amount
  /** Works out everything for the given variables; the result tells any amount. */
  solve(variables: RequestVariables): (amount: Amount) => number
}

/** An empty calculation. */
export function startExpression(): CostExpression {
  const steps: Step[] = []
  const add = (step: Step): Amount => ({ step: steps.push(step) - 1 })

  return {
    sum(amounts) {
      const known = amounts.reduce<number>((total, amount) => (typeof amount === 'number' ? total + amount : total), 0)
      const open = amounts.filter((amount) => typeof amount !== 'number')
      if (open.length === 0) return known
      return add((_variables, numbers) => open.reduce((total, { step }) => total + (numbers[step] ?? 0), known))
    },
    largest(amounts) {
      const known = amounts.reduce<number>(
        (most, amount) => (typeof amount === 'number' ? Math.max(most, amount) : most),
        0,
      )
      const open = amounts.filter((amount) => typeof amount !== 'number')
      if (open.length === 0) return known
      return add((_variables, numbers) => open.reduce((most, { step }) => Math.max(most, numbers[step] ?? 0), known))
    },
    product(one, other) {
      if (one === 0 || other === 0) return 0
      if (typeof one === 'number' && typeof other === 'number') return one * other
      return add((_variables, numbers) => times(at(numbers, one), at(numbers, other)))
    },
    ask: (read) => add(read),
    solve(variables) {
      const numbers: number[] = []
      for (const step of steps) numbers.push(step(variables, numbers))
      return (amount) => at(numbers, amount)
    },
  }
}

function at(numbers: readonly number[], amount: Amount): number {
  return typeof amount === 'number' ? amount : (numbers[amount.step] ?? 0)
}

/** Nothing of something endless is nothing. */
function times(one: number, other: number): number {
  return one === 0 || other === 0 ? 0 : one * other
}

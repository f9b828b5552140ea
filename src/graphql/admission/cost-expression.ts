/** The values of an operation's variables, coerced and with their defaults. */
export type RequestVariables = Readonly<Record<string, unknown>>

/** A constant, or the index of a step whose result depends on the variables. */
export type Amount = number | { readonly step: number }

type Step = (variables: RequestVariables, numbers: readonly number[]) => number

/**
 * A calculation that is built once per document and evaluated once per request. Parts that do not depend on variables are
 * evaluated while it is built, and a part that is used twice is evaluated once.
 */
export type CostExpression = {
  sum(amounts: readonly Amount[]): Amount
  /** Returns the largest of amounts that are not negative; 0 for an empty list. */
  largest(amounts: readonly Amount[]): Amount
  product(one: Amount, other: Amount): Amount
  /** Returns an amount that `read` takes from the variables. */
  ask(read: (variables: RequestVariables) => number): Amount
  /** Evaluates all steps for these variables. Returns a function that returns the value of an amount. */
  solve(variables: RequestVariables): (amount: Amount) => number
}

/** Creates an empty calculation. */
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

/** Returns the product; 0 times `Infinity` is 0, not `NaN`. */
function times(one: number, other: number): number {
  return one === 0 || other === 0 ? 0 : one * other
}

/** An exact amount, in the form that the graph and the shop's server use. */
export type Money = { readonly value: string; readonly currency: string; readonly exponent: number }

/** Returns an amount multiplied by a quantity. */
export function times(money: Money, quantity: number): Money {
  return { ...money, value: decimal(units(money) * BigInt(quantity), money.exponent) }
}

/** Returns the sum of amounts of one currency; `zero` when there are none. */
export function sum(amounts: readonly Money[], zero: Money): Money {
  const all = amounts.reduce((total, money) => total + units(money), 0n)
  return { ...zero, value: decimal(all, zero.exponent) }
}

/** Whether one amount is less than another of the same currency. */
export function isLess(a: Money, b: Money): boolean {
  return units(a) < units(b)
}

/** Returns the amount in the smallest unit of the currency. A float would be inexact from nine quadrillion cents on. */
function units({ value, exponent }: Money): bigint {
  const [whole = '0', fraction = ''] = value.split('.')
  return BigInt(whole + fraction.slice(0, exponent).padEnd(exponent, '0'))
}

function decimal(amount: bigint, exponent: number): string {
  const digits = amount.toString().padStart(exponent + 1, '0')
  return exponent === 0 ? digits : `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`
}

import { compareDecimals, type Money } from '../money/money.ts'
import type { PayinMethod } from './payin-method.ts'

/** The fields that limit the amount of a method. */
export type Limits = Pick<PayinMethod, 'currency' | 'minAmount' | 'maxAmount'>

/** Returns one limit of a method as an amount; null if the payments API names none. */
export function limitOf(method: Limits, which: 'minAmount' | 'maxAmount'): Money | null {
  const value = method[which]
  return value === null ? null : { value, currency: method.currency }
}

/** Returns whether an amount is within a method's limits; null if the currency differs or no limit is known. */
export function accepts(method: Limits, amount: Money): boolean | null {
  const { minAmount, maxAmount } = method
  if (method.currency !== amount.currency || (minAmount === null && maxAmount === null)) return null
  const enough = minAmount === null || compareDecimals(amount.value, minAmount) >= 0
  const notTooMuch = maxAmount === null || compareDecimals(amount.value, maxAmount) <= 0
  return enough && notTooMuch
}

/** Returns the range that several methods cover together. An end without a limit in one of them is null. */
export function spanOf(methods: readonly PayinMethod[]): { min: Money | null; max: Money | null } {
  return { min: outermost(methods, 'minAmount', -1), max: outermost(methods, 'maxAmount', 1) }
}

function outermost(methods: readonly PayinMethod[], which: 'minAmount' | 'maxAmount', sign: number): Money | null {
  const limits = methods.map((method) => limitOf(method, which))
  return limits.reduce((furthest, limit) => {
    if (furthest === null || limit === null) return null
    return compareDecimals(limit.value, furthest.value) * sign > 0 ? limit : furthest
  }, limits[0] ?? null)
}

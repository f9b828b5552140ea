/** Freezes a value and everything in it, and returns it: what many requests share must not be changed by one of them. */
export function deeplyFrozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const part of Object.values(value)) deeplyFrozen(part)
  return Object.freeze(value)
}

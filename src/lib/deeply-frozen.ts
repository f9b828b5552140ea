/** Freezes a value and everything in it, and returns it: code that shares a value must not change it. */
export function deeplyFrozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const part of Object.values(value)) deeplyFrozen(part)
  return value
}

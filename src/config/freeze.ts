/** Freezes a value and everything in it, so that no part of the program can change what another one reads. */
export function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const member of Object.values(value)) frozen(member)
  }
  return value
}

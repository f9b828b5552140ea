/** What a function makes of a value: at once when the value is there, and otherwise when its promise is resolved. */
export function whenKnown<Value, Result>(
  value: Value | Promise<Value>,
  make: (value: Value) => Result,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(make) : make(value)
}

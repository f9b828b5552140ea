/** Returns `make(value)`: synchronously for a plain value, or as a promise if the value is a promise. */
export function whenKnown<Value, Result>(
  value: Value | Promise<Value>,
  make: (value: Value) => Result,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(make) : make(value)
}

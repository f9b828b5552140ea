/**
 * Returns the result of some work, or that of `otherwise` when the work takes longer than these milliseconds. Rejects with what
 * either throws. The work is not cancelled: it continues, and its result is ignored.
 */
export function withTimeout<Result, Late>(
  work: Promise<Result>,
  milliseconds: number,
  otherwise: () => Late,
): Promise<Result | Late> {
  const { promise, resolve, reject } = Promise.withResolvers<Result | Late>()
  const timer = setTimeout(() => {
    try {
      resolve(otherwise())
    } catch (error) {
      reject(error)
    }
  }, milliseconds)
  work.then(
    (result) => {
      clearTimeout(timer)
      return resolve(result)
    },
    (error: unknown) => {
      clearTimeout(timer)
      return reject(error)
    },
  )
  return promise
}

const LATE = Symbol('late')

/**
 * What the work gives; or, where it takes longer than these milliseconds, what `otherwise` gives or throws. The work itself
 * goes on, unheard: what was sent or stored by then stays so.
 */
export async function within<Result, Late>(
  work: Promise<Result>,
  milliseconds: number,
  otherwise: () => Late,
): Promise<Result | Late> {
  const { promise, resolve } = Promise.withResolvers<typeof LATE>()
  const timer = setTimeout(resolve, milliseconds, LATE)
  try {
    const first = await Promise.race([work, promise])
    return first === LATE ? otherwise() : first
  } finally {
    clearTimeout(timer)
  }
}

type Callable = (...args: unknown[]) => unknown

export type Watched<Thing> = {
  /** The same object with counted calls. */
  readonly thing: Thing
  /** Returns the number of asynchronous calls of its methods, and of its parts' methods, that have not been settled yet. */
  underWay(): number
}

/** Counts the pending asynchronous calls of an object, so that a test can detect that it is idle. */
export function watched<Thing extends object>(thing: Thing): Watched<Thing> {
  let calls = 0
  const counted = (method: Callable, self: object) =>
    function call(...args: unknown[]): unknown {
      const answer = Reflect.apply(method, self, args)
      if (!(answer instanceof Promise)) return answer
      calls += 1
      return answer.finally(() => (calls -= 1))
    }
  const watch = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        if (isCallable(value)) return counted(value, target)
        return typeof value === 'object' && value !== null ? watch(value) : value
      },
    })
  return { thing: watch(thing), underWay: () => calls }
}

function isCallable(value: unknown): value is Callable {
  return typeof value === 'function'
}

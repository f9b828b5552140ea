type Callable = (...args: unknown[]) => unknown

export type Watched<Thing> = {
  /** The same thing, seen through. */
  readonly thing: Thing
  /** Asynchronous calls of its methods, and of those of its parts, that have not been answered yet. */
  underWay(): number
}

/** Counts what a thing of real edges is busy with, so that a test can tell when it has come to rest. */
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

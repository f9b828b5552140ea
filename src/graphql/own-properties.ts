/**
 * Returns until when a resolver has the same value for a frozen source, which it has at `now`; both in milliseconds since the epoch. 0 if
 * the value depends on more than the source and the time.
 */
export type UntilOf<Source> = (source: Source, now: number) => number

/** `properties`: those on which the value depends alone; null if it also depends on the time. */
type Mark = { readonly untilOf: UntilOf<object>; readonly properties: readonly string[] | null }

const marks = new WeakMap<object, Mark>()

/** Returns the resolver, marked, so that the executor may keep its value, which is a leaf or null where `untilOf` is not 0. */
export function keptUntil<Source extends object, Rest extends readonly unknown[], Value>(
  untilOf: UntilOf<Source>,
  resolve: (source: Source, ...rest: Rest) => Value,
): (source: Source, ...rest: Rest) => Value {
  marks.set(resolve, { untilOf: untilOf as UntilOf<object>, properties: null })
  return resolve
}

/** Returns the resolver, marked: while the source has all of these properties and none is null, its value depends on them alone. */
export function ofProperties<Resolve extends (...given: never[]) => unknown>(
  properties: readonly string[],
  resolve: Resolve,
): Resolve {
  const isLasting = (source: object) =>
    properties.every((name) => (ownProperty(source, name) ?? null) !== null && untilOfProperty(name)(source, 0) !== 0)
  marks.set(resolve, { untilOf: (source) => (isLasting(source) ? Infinity : 0), properties })
  return resolve
}

/** Returns the mark of a resolver; undefined if it has none. */
export function markOf(resolve: object): Mark | undefined {
  return marks.get(resolve)
}

/** Returns the same for a leaf that is the property of this name, as the default resolver reads it. */
export function untilOfProperty(name: string): UntilOf<object> {
  return (source) => {
    const property = ownProperty(source, name)
    if (property === undefined) return name in source ? 0 : Infinity
    return property === null || (typeof property !== 'object' && typeof property !== 'function') ? Infinity : 0
  }
}

function ownProperty(source: object, name: string): unknown {
  return Object.getOwnPropertyDescriptor(source, name)?.value
}

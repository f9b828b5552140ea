/** Names of the properties that resolvers read, by resolver. */
const propertiesOf = new WeakMap<object, readonly string[]>()

/**
 * Returns the resolver, marked: while the source has all of these properties and none is null, its value depends on them alone, so that
 * the executor may keep the value of a frozen source.
 */
export function ofProperties<Resolve extends (...given: never[]) => unknown>(
  properties: readonly string[],
  resolve: Resolve,
): Resolve {
  propertiesOf.set(resolve, properties)
  return resolve
}

/** Returns the properties with which a resolver is marked; undefined if it is not. */
export function markedProperties(resolve: object): readonly string[] | undefined {
  return propertiesOf.get(resolve)
}

/** The types of value at each place of a body: `records[].uuid`, and `pay_code.*` for every entry of a map. */
export type Shape = Map<string, Set<string>>

/** Returns the shape of a parsed body. `maps` names the objects whose entries count as one place, `at` the place of the body itself. */
export function shapeOf(json: unknown, maps: ReadonlySet<string>, at = '', shape: Shape = new Map()): Shape {
  const types = shape.get(at) ?? new Set()
  shape.set(at, types.add(typeOf(json)))
  if (Array.isArray(json)) for (const one of json) shapeOf(one, maps, `${at}[]`, shape)
  else if (typeof json === 'object' && json !== null)
    for (const [key, value] of Object.entries(json)) {
      const name = maps.has(at.split('.').at(-1) ?? '') ? '*' : key
      shapeOf(value, maps, at === '' ? name : `${at}.${name}`, shape)
    }
  return shape
}

/** Returns the places of one shape that the other lacks, where the other has the enclosing object or list. */
export function missingPlaces(from: Shape, other: Shape): string[] {
  return [...from.keys()].filter((place) => {
    const isItem = place.endsWith('[]')
    const above = isItem ? place.slice(0, -2) : place.slice(0, Math.max(place.lastIndexOf('.'), 0))
    return place !== '' && !other.has(place) && other.get(above)?.has(isItem ? 'array' : 'object') === true
  })
}

/** Returns the places where the second shape has a type that the first one does not have; null matches every type. */
export function otherTypes(expected: Shape, found: Shape): string[] {
  return [...expected].flatMap(([place, types]) => {
    const others = [...(found.get(place) ?? [])].filter((type) => type !== 'null' && !types.has(type))
    return others.length === 0 || types.has('null') ? [] : place
  })
}

function typeOf(json: unknown): string {
  if (json === null) return 'null'
  return Array.isArray(json) ? 'array' : typeof json
}

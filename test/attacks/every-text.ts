/** Returns copies of a value made of objects, lists and leaves: one copy per string in it, with that string replaced. */
export function withEachText(thing: unknown, text: string): { readonly path: string; readonly thing: unknown }[] {
  return replaced(thing, text, '')
}

function replaced(thing: unknown, text: string, path: string): { path: string; thing: unknown }[] {
  if (typeof thing === 'string') return [{ path, thing: text }]
  if (typeof thing !== 'object' || thing === null) return []
  return Object.entries(thing).flatMap(([name, value]) =>
    replaced(value, text, `${path}.${name}`).map((variant) => ({
      path: variant.path,
      thing: Array.isArray(thing)
        ? thing.with(Number(name), variant.thing)
        : Object.assign(Object.create(null), thing, { [name]: variant.thing }),
    })),
  )
}

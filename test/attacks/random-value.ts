import type { Random } from '../faults/random.ts'
import { oneOf } from './random-operation.ts'
import { longText } from './random-text.ts'

/** Approximate upper bound of the variables in bytes of JSON. */
const MOST_CHARACTERS = 49_000

type MakeValue = (random: Random) => unknown

const VALUES: readonly MakeValue[] = [
  () => null,
  (random) => random() < 0.5,
  (random) => oneOf(random, [0, -0, -1, 1.5, 2 ** 31, 2 ** 53, 1e308, -1e308, 5e-324]),
  (random) => oneOf(random, ['', 'a', '1', 'true', 'null', '[]', '{}', '\uD800', 'a\uDFFFb', '\u0000', '__proto__']),
  (random) => longText(random, 10 + random() * 500),
  (random) => longText(random, random() * MOST_CHARACTERS),
  (random) => '9'.repeat(1 + Math.floor(random() * MOST_CHARACTERS)),
  (random) => nested(1 + Math.floor(random() * 2_000)),
  (random) => deepObject(1 + Math.floor(random() * 2_000)),
  (random) => Array.from({ length: Math.floor(random() * 10_000) }, () => oneOf(random, [null, 1, 'a', [], {}])),
  (random) =>
    Object.fromEntries(Array.from({ length: Math.floor(random() * 4_000) }, (_, index) => [`k${index}`, index])),
  () => JSON.parse('{"__proto__":{"a":1},"constructor":{"prototype":{}},"toString":1}') as unknown,
]

/** Returns a value of any type: wrong, huge or deep. */
export function anyValue(random: Random): unknown {
  return oneOf(random, VALUES)(random)
}

/** Returns the variables with one value somewhere in them replaced, or with a new one if there are none. */
export function besideTheType(variables: Readonly<Record<string, unknown>>, random: Random): Record<string, unknown> {
  const names = Object.keys(variables)
  if (names.length === 0) return { a: anyValue(random) }
  const name = oneOf(random, names)
  return { ...variables, [name]: replacedIn(variables[name], random) }
}

function replacedIn(value: unknown, random: Random): unknown {
  if (random() < 0.4 || typeof value !== 'object' || value === null) return anyValue(random)
  const keys = Object.keys(value)
  if (keys.length === 0) return anyValue(random)
  const key = oneOf(random, keys)
  const inner = replacedIn((value as Record<string, unknown>)[key], random)
  return Array.isArray(value) ? value.with(Number(key), inner) : { ...value, [key]: inner }
}

function nested(depth: number): unknown {
  let value: unknown = []
  for (let level = 0; level < depth; level += 1) value = [value]
  return value
}

function deepObject(depth: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < depth; level += 1) value = { a: value }
  return value
}

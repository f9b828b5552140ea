/**
 * JSON whose numbers never pass through a float. Reading keeps the source text of every number; writing puts a decimal's
 * own digits on the wire. Node reads both from the language itself (JSON.parse source text access, JSON.rawJSON).
 */

/** A number as it stood in the JSON text, e.g. `1250.50`. */
export class ExactNumber {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toJSON(): unknown {
    return rawJson(this.text)
  }
}

export type ExactJson = null | boolean | string | ExactNumber | ExactJson[] | { [key: string]: ExactJson }

/**
 * Parses JSON and gives every number as an `ExactNumber`.
 * Throws `SyntaxError` for text that is not JSON, and `RangeError` for nesting deeper than the engine's stack.
 */
export function parseExactJson(text: string): ExactJson {
  const sources = numberSources(text)
  if (sources === null || !isShallow(text)) return parseWithReviver(text)
  const json: unknown = JSON.parse(text)
  return (sources.size === 0 ? json : withSources(json, sources)) as ExactJson
}

/** The same by a reviver, which the engine calls for every value: slower, and right for every text. */
export function parseWithReviver(text: string): ExactJson {
  return (JSON.parse as ParseWithSource)(text, (_key, value, context) =>
    typeof value === 'number' ? new ExactNumber(context.source ?? String(value)) : value,
  ) as ExactJson
}

/** What may be a number: in valid JSON one stands first, after the colon of a key, after a comma, or after a bracket. */
const MAY_BE_NUMBER = /(?:^|"[ \t\n\r]*:|[[,])[ \t\n\r]*(-?\d[\d.eE+-]*)/g

/**
 * The source text of every number in a JSON text, by its value as a float. Texts inside of strings may be among them. Null where
 * two texts have one value, such as `1.0` and `1.00`.
 */
function numberSources(text: string): ReadonlyMap<number, string> | null {
  const sources = new Map<number, string>()
  for (const [, source = ''] of text.matchAll(MAY_BE_NUMBER)) {
    const value = Number(source)
    if ((sources.get(value) ?? source) !== source) return null
    sources.set(value, source)
  }
  return sources
}

/** Far below what the engine's stack allows. */
const MAX_OPENINGS = 500

/** Whether a text opens so few objects and lists that they cannot be nested deeply. */
function isShallow(text: string): boolean {
  let openings = 0
  for (const bracket of '[{')
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1))
      if ((openings += 1) > MAX_OPENINGS) return false
  return true
}

/** Puts the source text of each number in its place, in the value itself. */
function withSources(json: unknown, sources: ReadonlyMap<number, string>): unknown {
  if (typeof json === 'number') return new ExactNumber(sources.get(json) ?? String(json))
  if (typeof json !== 'object' || json === null) return json
  for (const [key, value] of Object.entries(json)) {
    if (typeof value !== 'number' && (typeof value !== 'object' || value === null)) continue
    // Assigning to `__proto__` would change the object's prototype instead of its own entry.
    Reflect.defineProperty(json, key, {
      value: withSources(value, sources),
      writable: true,
      enumerable: true,
      configurable: true,
    })
  }
  return json
}

/** Writes JSON in which every `ExactNumber` keeps its own digits. */
export function stringifyExactJson(value: unknown): string {
  return JSON.stringify(value)
}

/** Turns exact numbers into ordinary ones where a float does no harm: free-form data that a client only shows. */
export function toPlainJson(value: ExactJson): unknown {
  if (value instanceof ExactNumber) {
    const number = Number(value.text)
    return Number.isSafeInteger(number) || String(number) === value.text ? number : value.text
  }
  if (Array.isArray(value)) return value.map(toPlainJson)
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, toPlainJson(entry)]))
  return value
}

type ParseWithSource = (
  text: string,
  reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
) => unknown

const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON

const BACKSLASH = 0x5c
const COLON = 0x3a
/** The white space of JSON: space, tab, line feed, carriage return (RFC 8259, section 2). */
const BLANK: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])

/**
 * Returns whether any object in a JSON text, at any depth, has a key twice: one reader takes the first value and another the last (RFC 8259,
 * section 4). `value` is what `JSON.parse` makes of the text: it has fewer keys then. Keys are compared as read, so that `"a"`
 * repeats `"\u0061"`. Takes linear time.
 */
export function hasRepeatedKey(json: string, value: unknown): boolean {
  return keysIn(json) > keysOf(value)
}

/** Returns the number of keys in a valid JSON text: of the strings before a colon. */
function keysIn(json: string): number {
  let count = 0
  for (let start = json.indexOf('"'); start !== -1;) {
    const end = endOfString(json, start)
    if (isFollowedByColon(json, end)) count += 1
    start = json.indexOf('"', end + 1)
  }
  return count
}

/** Returns the number of keys of all objects in a value. */
function keysOf(value: unknown): number {
  let count = 0
  const left: unknown[] = [value]
  // Without recursion, because values may be nested more deeply than the stack allows.
  for (let part = left.pop(); part !== undefined; part = left.pop()) {
    if (typeof part !== 'object' || part === null) continue
    const values: readonly unknown[] = Array.isArray(part) ? part : Object.values(part)
    if (values !== part) count += values.length
    for (const each of values) left.push(each)
  }
  return count
}

/** Returns where the string ends that begins at a position. */
function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1)
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end
}

/** Returns whether a quote within a string is escaped: an odd number of backslashes stands before it. */
function isEscaped(json: string, quote: number): boolean {
  let at = quote
  while (json.charCodeAt(at - 1) === BACKSLASH) at -= 1
  return (quote - at) % 2 === 1
}

function isFollowedByColon(json: string, end: number): boolean {
  let at = end + 1
  while (BLANK.has(json.charCodeAt(at))) at += 1
  return json.charCodeAt(at) === COLON
}

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
  return (JSON.parse as ParseWithSource)(text, (_key, value, context) =>
    typeof value === 'number' ? new ExactNumber(context.source ?? String(value)) : value,
  ) as ExactJson
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

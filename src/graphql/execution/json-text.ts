/** Characters that JSON escapes, or that `JSON.stringify` may have to look at twice. */
const ESCAPED = /["\\\p{Cc}\p{Cs}]/v

/** A string as JSON: what `JSON.stringify` returns. */
export function stringText(value: string): string {
  return ESCAPED.test(value) ? JSON.stringify(value) : `"${value}"`
}

/** A serialised leaf as JSON: what `JSON.stringify` writes for it within an object. */
export function leafText(value: unknown): string {
  if (typeof value === 'string') return stringText(value)
  return JSON.stringify(value) ?? 'null'
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const FIRST_PRINTABLE = 0x20
const FIRST_SURROGATE = 0xd800
/** `JSON.stringify` is faster for longer strings. */
const MAX_LENGTH = 64

/** A string as JSON: what `JSON.stringify` returns. */
export function stringText(value: string): string {
  if (value.length > MAX_LENGTH) return JSON.stringify(value)
  for (let at = 0; at < value.length; at += 1) {
    const code = value.charCodeAt(at)
    if (code < FIRST_PRINTABLE || code === QUOTE || code === BACKSLASH || code >= FIRST_SURROGATE)
      return JSON.stringify(value)
  }
  return `"${value}"`
}

/** A serialised leaf as JSON: what `JSON.stringify` writes for it within an object. */
export function leafText(value: unknown): string {
  if (typeof value === 'string') return stringText(value)
  return JSON.stringify(value) ?? 'null'
}

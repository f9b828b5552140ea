const QUOTE = 0x22
const BACKSLASH = 0x5c
const FIRST_PRINTABLE = 0x20
const FIRST_SURROGATE = 0xd800
/** Above this length `JSON.stringify` is faster. */
const MAX_LENGTH = 64

/** Returns a string as JSON, as `JSON.stringify` does. */
export function stringText(value: string): string {
  if (value.length > MAX_LENGTH) return JSON.stringify(value)
  for (let at = 0; at < value.length; at += 1) {
    const code = value.charCodeAt(at)
    if (code < FIRST_PRINTABLE || code === QUOTE || code === BACKSLASH || code >= FIRST_SURROGATE)
      return JSON.stringify(value)
  }
  return `"${value}"`
}

/** Returns a serialised leaf as JSON, as `JSON.stringify` writes it within an object. */
export function leafText(value: unknown): string {
  if (typeof value === 'string') return stringText(value)
  return JSON.stringify(value) ?? 'null'
}

/** Writes texts shorter, and back, byte for byte: by a fixed dictionary of phrases that they often hold. */
export type TextPacker = {
  pack(text: string): string
  /** The text that was packed. A text without control characters, as JSON text is, is its own packed form. */
  unpack(packed: string): string
}

/** In front of a text that holds control characters itself, which are left as they are. */
const LITERAL = '\u0001'
/** In front of a packed text, for its caller to use: it is no phrase's code. */
export const CALLER_MARK = '\u001f'
/** Codes 2 to 30; SQLite and PostgreSQL both store them in a text, and JSON text never holds them. */
const FIRST_CODE = 2
const MOST_PHRASES = 29

/** U+0000 to U+001F, which JSON text always escapes. */
const CONTROL = /[^\P{Cc}\u007f-\u009f]/u
const EACH_CONTROL = /\p{Cc}/gu

/**
 * A packer that writes each phrase as one control character, by its place in the list. Databases hold what was packed: a phrase
 * must never move or change, and new ones go to the end. Throws `RangeError` for more than 29 phrases.
 */
export function createTextPacker(phrases: readonly string[]): TextPacker {
  if (phrases.length > MOST_PHRASES) throw new RangeError(`There are codes for ${MOST_PHRASES} phrases.`)
  const codes = new Map(phrases.map((phrase, index) => [phrase, String.fromCharCode(FIRST_CODE + index)]))
  const byCode = new Map(Array.from(codes, ([phrase, code]) => [code, phrase]))
  // The longest first, since shorter ones may be parts of it.
  const longestFirst = [...codes].toSorted(([a], [b]) => b.length - a.length)
  return {
    pack(text) {
      if (CONTROL.test(text)) return LITERAL + text
      let packed = text
      for (const [phrase, code] of longestFirst) packed = packed.replaceAll(phrase, code)
      return packed
    },
    unpack(packed) {
      if (packed.startsWith(LITERAL)) return packed.slice(LITERAL.length)
      return packed.replace(EACH_CONTROL, (code) => byCode.get(code) ?? code)
    },
  }
}

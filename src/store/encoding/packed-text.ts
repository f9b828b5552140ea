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
  const byCode = new Map(phrases.map((phrase, index) => [String.fromCharCode(FIRST_CODE + index), phrase]))
  const byBeginning = groupByBeginning([...byCode])
  const first = firstCharacters(phrases)
  return {
    pack(text) {
      if (CONTROL.test(text)) return LITERAL + text
      let packed = ''
      let copied = 0
      for (let at = 0; at < text.length; at += 1) {
        // Few characters begin a phrase: the rest costs no more than this.
        if (first[text.charCodeAt(at)] !== 1) continue
        const found = byBeginning.get(beginningAt(text, at))?.find(([, phrase]) => text.startsWith(phrase, at))
        if (found === undefined) continue
        packed += text.slice(copied, at) + found[0]
        copied = at + found[1].length
        at = copied - 1
      }
      return packed + text.slice(copied)
    },
    unpack(packed) {
      if (packed.startsWith(LITERAL)) return packed.slice(LITERAL.length)
      return packed.replace(EACH_CONTROL, (code) => byCode.get(code) ?? code)
    },
  }
}

/** A phrase with its code in front. */
type Coded = readonly [code: string, phrase: string]

/** The first and third character of what stands at a place, as a number: few places of a text begin a phrase. */
function beginningAt(text: string, at: number): number {
  return text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 2)
}

/** The longest first, since shorter ones may be parts of it. */
function groupByBeginning(phrases: readonly Coded[]): ReadonlyMap<number, readonly Coded[]> {
  const longestFirst = phrases.toSorted(([, a], [, b]) => b.length - a.length)
  return Map.groupBy(longestFirst, ([, phrase]) => beginningAt(phrase, 0))
}

/** 1 for each ASCII character, by its code, that a phrase begins with. */
function firstCharacters(phrases: readonly string[]): Uint8Array {
  const first = new Uint8Array(128)
  for (const phrase of phrases) first[phrase.charCodeAt(0)] = 1
  return first
}

/** Compresses texts without loss, with a fixed dictionary of frequent phrases. */
export type TextPacker = {
  pack(text: string): string
  /** Returns the text that was packed. A text without control characters, such as JSON text, is returned unchanged. */
  unpack(packed: string): string
}

/** Prefix of a text that contains control characters itself; the rest is stored unchanged. */
const LITERAL = '\u0001'
/** A prefix that the caller may put in front of a packed text: it is never the code of a phrase. */
export const CALLER_MARK = '\u001f'
/** Codes 2 to 30: SQLite and PostgreSQL can both store them in a text, and the output of `JSON.stringify` never contains them. */
const FIRST_CODE = 2
const MOST_PHRASES = 29

/** U+0000 to U+001F, which `JSON.stringify` always escapes. */
const CONTROL = /[^\P{Cc}\u007f-\u009f]/u
const EACH_CONTROL = /\p{Cc}/gu

/**
 * Creates a packer that replaces each phrase by one control character, which follows from its index in the list. Databases contain
 * packed texts: a phrase must never move or change, and new ones go to the end. Throws `RangeError` for more than 29 phrases.
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
        // Few characters can begin a phrase; all others cost only this check.
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

/** A phrase and its code. */
type Coded = readonly [code: string, phrase: string]

/** Returns the first and third character at a place as one number: a lookup key that matches at few places of a text. */
function beginningAt(text: string, at: number): number {
  return text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 2)
}

/** Groups phrases by their `beginningAt`, the longest first, because a shorter phrase may be a prefix of a longer one. */
function groupByBeginning(phrases: readonly Coded[]): ReadonlyMap<number, readonly Coded[]> {
  const longestFirst = phrases.toSorted(([, a], [, b]) => b.length - a.length)
  return Map.groupBy(longestFirst, ([, phrase]) => beginningAt(phrase, 0))
}

/** Returns an array by ASCII code: 1 for each character that a phrase begins with. */
function firstCharacters(phrases: readonly string[]): Uint8Array {
  const first = new Uint8Array(128)
  for (const phrase of phrases) first[phrase.charCodeAt(0)] = 1
  return first
}

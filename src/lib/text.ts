/** What nobody sees at the ends of a text that was pasted or scanned: white space, what a scanner ends with, byte order marks, zero-width characters, fillers. */
const INVISIBLE = /[\s\p{Cc}\p{Cf}\u034f\u2800\u3164\uffa0]/u

/** Returns the text without invisible characters at its ends. */
export function trimmed(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && INVISIBLE.test(text.charAt(start))) start += 1
  while (end > start && INVISIBLE.test(text.charAt(end - 1))) end -= 1
  return text.slice(start, end)
}

/** Returns the text without invisible characters at its ends, its letters in composed form (Unicode's NFC): systems differ in how they write accents. */
export function tidied(text: string): string {
  return trimmed(text).normalize()
}

/** What nobody sees at the ends of a text that was pasted or scanned: white space, line breaks, byte order marks, zero-width characters. */
const INVISIBLE = /[\s\p{Cf}]/u

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

import type { Random } from '../faults/random.ts'
import { oneOf } from './random-operation.ts'

/**
 * Units of a long text: words of GraphQL's own messages, separators and quotes, and beginnings of dates, addresses, numbers and escapes
 * that never end. They expose a pattern that scans the text repeatedly.
 */
const UNITS: readonly string[] = [
  ['Did you mean ', ' Did you mean "a"', 'Expected ', 'Argument "', 'Variable "$a" ', ' at ', '\n    at ', ' or '],
  ['a', 'A_', ' ', '\t', '\r\n', '\n', '"', '\\', "'", '`', '(', '[', '{', '[{"', '$', '@', ':', ',', '.', '-', '+'],
  ['0', '9.', '1e', '%', '%2e', '../', '/', '=', ';', 'https://', 'https://a.', 'a@', '2026-01-', '00:'],
  ['é', '٣', '\u0000', '\u0301', '\u200d', '\u{1F600}', '\uD800', '\uDC00', 'ｱ'],
].flat()

const ENDS: readonly string[] = ['', '?', '!', '"', '\n', '\u0000', 'Z']

/** Returns one unit, repeated up to about `characters` characters, with a random end. */
export function longText(random: Random, characters: number, unit = oneOf(random, UNITS)): string {
  return `${unit.repeat(Math.max(1, Math.floor(characters / unit.length)))}${oneOf(random, ENDS)}`
}

import { createKeyRing, type KeyRing, Secret } from '../../../src/keys/key-ring.ts'

/** Creates a ring of the signing keys with these letters; `first` is the first key. */
export function ringOf(first: string, ...others: string[]): KeyRing {
  const key = (letter: string): Secret => new Secret(letter.repeat(40))
  return createKeyRing([key(first), ...others.map(key)])
}

/** Returns all texts that differ from this one in a single bit of one character. */
export function bitFlips(text: string): string[] {
  return text
    .split('')
    .flatMap((letter, index) =>
      [0, 1, 2, 3, 4, 5, 6].map(
        (bit) => text.slice(0, index) + String.fromCharCode(letter.charCodeAt(0) ^ (1 << bit)) + text.slice(index + 1),
      ),
    )
}

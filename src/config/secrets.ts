import { Secret } from '../keys/key-ring.ts'
import { bad, good, type Parsed, type Parser } from './read-setting.ts'

/** One secret or more. */
export type Secrets = readonly [Secret, ...Secret[]]

/** Minimum length of a secret, and whether it must be valid in a header. */
export type SecretRules = { readonly minimum: number; readonly unit: 'bytes' | 'characters'; readonly header?: boolean }

/** White space, control characters, and other invisible characters. */
const INVISIBLE = /[\s\p{Cc}\p{Cf}]/u
const VISIBLE_ASCII = /^[\x21-\x7e]*$/

/** Parses a single secret. Messages name the rule that is broken, and contain nothing of the secret. */
export function secretOf(rules: SecretRules): Parser<Secret> {
  return (text) => {
    const message = wrongWith(text, rules)
    return message === null ? good(new Secret(text)) : bad(message)
  }
}

/** Parses a comma-separated list of secrets without duplicates. */
export function secretsOf(rules: SecretRules): Parser<Secrets> {
  return (text) => {
    const entries = text.split(',')
    for (const [index, entry] of entries.entries()) {
      const message = wrongWith(entry, rules)
      if (message !== null) return bad(`entry ${index + 1} ${message}`)
    }
    return withoutRepeats(entries)
  }
}

function withoutRepeats(entries: readonly string[]): Parsed<Secrets> {
  const repeat = entries.findIndex((entry, index) => entries.indexOf(entry) !== index)
  if (repeat !== -1) return bad(`entry ${repeat + 1} repeats an earlier entry`)
  const [first = '', ...others] = entries
  return good([new Secret(first), ...others.map((entry) => new Secret(entry))])
}

function wrongWith(secret: string, { minimum, unit, header }: SecretRules): string | null {
  if (secret === '') return 'is empty'
  if (INVISIBLE.test(secret)) return 'must not contain white space, line breaks or invisible characters'
  if (header && !VISIBLE_ASCII.test(secret))
    return 'must be made of visible ASCII characters, since it travels in a header'
  const length = unit === 'bytes' ? Buffer.byteLength(secret, 'utf8') : secret.length
  return length < minimum ? `must have at least ${minimum} ${unit}` : null
}

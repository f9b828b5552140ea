/** What is wrong with one field of an input. */
export type Problem = { readonly path: readonly string[]; readonly message: string }

/** How long a text may be, in characters. */
export type TextRange = { readonly shortest?: number; readonly longest: number }

/** A text for which the payments API names no length. */
export const TEXT: TextRange = { longest: 255 }

/** Pairs a message with the path of the field; null when there is nothing to say. */
export function problem(message: string | null, path: readonly string[]): Problem | null {
  return message === null ? null : { path, message }
}

/** Leaves out the fields with which nothing is wrong. */
export function present(found: readonly (Problem | null)[]): Problem[] {
  return found.filter((one) => one !== null)
}

/**
 * Checks a text: not blank, no control characters, and of the given length. Spaces around it do not count towards the
 * least length, and a character that takes two code units counts once there and twice towards the greatest: however the
 * payments API counts, what passes here is within its bounds.
 */
export function textProblem(value: string, range: TextRange, path: readonly string[]): Problem | null {
  const { shortest = 1, longest } = range
  if (value.length > longest) return problem(`must have at most ${longest} characters`, path)
  if (value.trim() === '') return problem('must not be blank', path)
  if (/\p{Cc}/u.test(value) || !value.isWellFormed()) return problem('must not hold control characters', path)
  return problem(Array.from(value.trim()).length < shortest ? `must have at least ${shortest} characters` : null, path)
}

/** Checks the key under which a caller may ask again for the same thing: it counts exactly as it is written. */
export function keyProblem(key: string): Problem | null {
  return textProblem(key, TEXT, ['idempotencyKey'])
}

const EMAIL = /^[^\s@]{1,64}@[^\s@.]+(?:\.[^\s@.]+)+$/

/** Checks the shape of an e-mail address; null when it has it. */
export function emailProblem(value: string): string | null {
  return value.length <= TEXT.longest && EMAIL.test(value) ? null : 'must be an e-mail address'
}

/**
 * Checks a name of letters, digits and spaces, without a space at either end; null when it is one. Letters of any script
 * pass, with the marks that belong to them. Source: payments-api.md, section 2.3, and gap sheet, section 18.
 */
export function personNameProblem(name: string): string | null {
  if (name.length > TEXT.longest) return `must have at most ${TEXT.longest} characters`
  return /^[\p{L}\p{M}\p{Nd} ]+$/u.test(name) && name.trim() === name
    ? null
    : 'must have letters, digits and spaces only, and no space at either end'
}

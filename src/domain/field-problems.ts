/** A problem of one field of an input. */
export type Problem = { readonly path: readonly string[]; readonly message: string }

/** The length of a text in characters. */
export type TextRange = { readonly shortest?: number; readonly longest: number }

/** A text for which the payments API specifies no length. */
export const TEXT: TextRange = { longest: 255 }

/** Returns the message with the path of the field; null without a message. */
export function problem(message: string | null, path: readonly string[]): Problem | null {
  return message === null ? null : { path, message }
}

/** Returns the problems without the nulls. */
export function present(found: readonly (Problem | null)[]): Problem[] {
  return found.filter((one) => one !== null)
}

/**
 * Checks a text: not blank, no control characters, and of the given length. Surrounding spaces do not count for the minimum. A character
 * of two code units counts once for the minimum and twice for the maximum: the text is within the bounds whichever way the payments API
 * counts.
 */
export function textProblem(value: string, range: TextRange, path: readonly string[]): Problem | null {
  const { shortest = 1, longest } = range
  if (value.length > longest) return problem(`must have at most ${longest} characters`, path)
  if (value.trim() === '') return problem('must not be blank', path)
  if (/\p{Cc}/u.test(value) || !value.isWellFormed()) return problem('must not hold control characters', path)
  return problem(Array.from(value.trim()).length < shortest ? `must have at least ${shortest} characters` : null, path)
}

/** Checks an idempotency key, without normalising it. */
export function keyProblem(key: string): Problem | null {
  return textProblem(key, TEXT, ['idempotencyKey'])
}

const EMAIL = /^[^\s@]{1,64}@[^\s@.]+(?:\.[^\s@.]+)+$/

/** Checks the format of an e-mail address; null if it is valid. */
export function emailProblem(value: string): string | null {
  return value.length <= TEXT.longest && EMAIL.test(value) ? null : 'must be an e-mail address'
}

/**
 * Checks a name of letters, digits and spaces, without a space at either end; null if it is valid. Letters of any script are allowed, with
 * their combining marks. Source: payments-api.md, section 2.3, and gap sheet, section 18.
 */
export function personNameProblem(name: string): string | null {
  if (name.length > TEXT.longest) return `must have at most ${TEXT.longest} characters`
  return /^[\p{L}\p{M}\p{Nd} ]+$/u.test(name) && name.trim() === name
    ? null
    : 'must have letters, digits and spaces only, and no space at either end'
}

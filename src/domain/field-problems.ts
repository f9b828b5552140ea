import { tidied } from '../lib/text.ts'

/** A problem with one field of an input. */
export type Problem = { readonly path: readonly string[]; readonly message: string }

/** Limits for the length of a text, in characters. */
export type TextRange = { readonly shortest?: number; readonly longest: number }

/** Limits for a text for which the payments API documents no length. */
export const TEXT: TextRange = { longest: 255 }

/** Returns a message with the path of the field; null if there is no message. */
export function problem(message: string | null, path: readonly string[]): Problem | null {
  return message === null ? null : { path, message }
}

/** Returns the problems without the nulls. */
export function present(found: readonly (Problem | null)[]): Problem[] {
  return found.filter((one) => one !== null)
}

/**
 * Checks a text: not blank, no control characters or lone surrogates, and within the limits. Leading and trailing spaces do not count
 * towards the minimum. A character of two code units counts once towards the minimum and twice towards the maximum, so a text that passes
 * is within the limits of the payments API in either way of counting.
 */
export function textProblem(value: string, range: TextRange, path: readonly string[]): Problem | null {
  const { shortest = 1, longest } = range
  if (value.length > longest) return problem(`must have at most ${longest} characters`, path)
  if (value.trim() === '') return problem('must not be blank', path)
  if (/\p{Cc}/u.test(value) || !value.isWellFormed()) return problem('must not contain control characters', path)
  return problem(Array.from(value.trim()).length < shortest ? `must have at least ${shortest} characters` : null, path)
}

/** Checks an idempotency key. Keys are compared exactly as they are written. */
export function keyProblem(key: string): Problem | null {
  return textProblem(key, TEXT, ['idempotencyKey'])
}

const EMAIL = /^[^\s@]{1,64}@[^\s@.]+(?:\.[^\s@.]+)+$/

/** Checks the format of an e-mail address. Returns null if it is valid: it has no control, invisible or broken characters. */
export function emailProblem(value: string): string | null {
  return value.length <= TEXT.longest && EMAIL.test(value) && !/[\p{Cc}\p{Cf}\p{Cs}]/u.test(value)
    ? null
    : 'must be an e-mail address'
}

/**
 * Checks a name of letters, digits and spaces, without a leading or trailing space. Returns null if it is valid. Letters of any script are
 * accepted, with their combining marks. Source: payments-api.md, section 2.3, and gap sheet, section 18.
 */
export function personNameProblem(name: string): string | null {
  if (name.length > TEXT.longest) return `must have at most ${TEXT.longest} characters`
  return /^[\p{L}\p{M}\p{Nd} ]+$/u.test(name) && name.trim() === name
    ? null
    : 'must have letters, digits and spaces only, and no space at either end'
}

/** Returns a name in composed letters, without spaces around it, and with one space for each run of space characters of any width. */
export function normaliseName(name: string): string {
  return tidied(name).replace(/\p{Zs}+/gu, ' ')
}

const UNSEEN = /[\s\p{Cf}]/gu
/** The ASCII characters from `!` to `~` as East Asian keyboards write them. */
const FULL_WIDTH = /[\uff01-\uff5e]/g
const FULL_WIDTH_OFFSET = 0xfee0
/** Hyphens, dashes and the minus sign, as word processors and other keyboards write a hyphen. */
const DASHES = /[\u2010-\u2015\u2212]/g

/**
 * Returns a number as it is sent: an ABN written `51 824 753 556`, a BSB written `062 000`, or an account number in groups, without white space and
 * invisible characters, and with ASCII digits and hyphens.
 */
export function withoutSpaces(digits: string): string {
  return digits
    .replace(UNSEEN, '')
    .replace(FULL_WIDTH, (wide) => String.fromCharCode(wide.charCodeAt(0) - FULL_WIDTH_OFFSET))
    .replace(DASHES, '-')
}

const SEPARATORS = /[().-]/g

/**
 * Returns a phone number as `+` and digits: without separators, and with `+` instead of `00`. An Australian number, which may be written
 * locally (`0412 345 678`) or with the zero in brackets (`+61 (0)412 345 678`), gets its country code; `separator` is inserted after that
 * code. A text that is not such a number is returned without separators, and the rules then reject it.
 */
export function normalisePhone(phone: string, separator: '' | '-' = ''): string {
  const digits = withoutSpaces(phone).replace(SEPARATORS, '').replace(/^00/, '+')
  const [, national] = /^(?:\+61)?0?([2-478]\d{8})$/.exec(digits) ?? []
  const isLocal = digits.startsWith('0') || digits.startsWith('+61')
  return national !== undefined && isLocal ? `+61${separator}${national}` : digits
}

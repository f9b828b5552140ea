import type { AttemptRow } from '../store/rows/command-rows.ts'
import type { Rows } from '../store/rows/rows.ts'

/** The attempt that was given this correlation id, also of a command that was forgotten. */
export function findAttempt(rows: Rows, ref: string): AttemptRow | null {
  return rows.attempts.first('ref', ref)
}

/** The correlation ids of all attempts of the command that was given this one; the one itself where it is not known. */
export function refsOfSameCommand(rows: Rows, ref: string): readonly string[] {
  const attempt = findAttempt(rows, ref)
  if (attempt === null) return [ref]
  return rows.attempts.find('commandId', attempt.commandId).map((other) => other.ref)
}

/** Whether what came to one address may be about what was made under the other: attempts of one command make one thing. */
export function isSameCommand(rows: Rows, a: string, b: string): boolean {
  return a === b || refsOfSameCommand(rows, a).includes(b)
}

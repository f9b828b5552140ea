import { type Problem, textProblem } from '../field-problems.ts'

/** What an operator has written about a payment. It may name the payer, and is deleted when the payer is erased. */
export type PaymentNote = {
  readonly id: string
  readonly paymentId: string
  readonly text: string
  /** Subject or client of the author's token; null if it names neither. */
  readonly author: string | null
  /** Key scope of the author: the same for all tokens of one caller. */
  readonly authorScope: string
  /** ISO 8601 instant in UTC with milliseconds. */
  readonly writtenAt: string
}

/** Maximum number of characters of a note. */
const LONGEST_NOTE = 1_000

/** Maximum number of notes of a payment. */
export const MOST_NOTES = 50

/** Checks the text of a note, which may have several lines. */
export function noteProblem(text: string): Problem | null {
  return textProblem(text.replaceAll(/\r?\n/g, ' '), { longest: LONGEST_NOTE }, ['text'])
}

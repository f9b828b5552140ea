import type { FailureCode } from './failure-table.ts'
import { textsFor } from './messages/languages.ts'

/**
 * The sentence for a payer whose payment failed: what happened in plain words, and what to do next. It never hints at
 * suspicion, whoever asks. `locale` is a BCP 47 tag; English answers for a language that is not there.
 */
export function customerMessage(code: FailureCode, locale: string | null): string {
  return textsFor(locale).failures[code]
}

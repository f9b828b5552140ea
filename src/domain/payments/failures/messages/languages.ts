import type { NextActionKind } from '../describe-failure.ts'
import type { FailureCode } from '../failure-table.ts'
import { en } from './english.ts'
import { ja } from './japanese.ts'

/** The languages of the texts for payers, by BCP 47 language subtag. A new language needs one file and one entry here. */
export const LANGUAGES: ReadonlyMap<string, Texts> = new Map([
  ['en', en],
  ['ja', ja],
])

/**
 * Returns the texts for a BCP 47 tag, selected by its language subtag alone: Japanese for `ja-JP`. Underscores count as hyphens, because
 * some devices write them. English without a tag, or for a language without texts.
 */
export function textsFor(locale: string | null): Texts {
  const [language = ''] = (locale ?? '').trim().toLowerCase().split(/[-_]/, 1)
  return LANGUAGES.get(language) ?? en
}

/** All texts for a payer, in one language. If a language omits a code, it does not compile. */
export type Texts = {
  readonly failures: Readonly<Record<FailureCode, string>>
  /** Labels for a button, or next to it. */
  readonly nextActions: Readonly<Record<NextActionKind, string>>
}

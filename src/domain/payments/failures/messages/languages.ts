import { en } from './en.ts'
import { ja } from './ja.ts'
import type { Texts } from './texts.ts'

/** The supported languages by their BCP 47 language subtag. A new language needs one file and one line here. */
export const LANGUAGES: ReadonlyMap<string, Texts> = new Map([
  ['en', en],
  ['ja', ja],
])

/**
 * Returns the texts for a BCP 47 tag, selected by its language subtag only: `ja-JP` selects Japanese. Underscores count as hyphens,
 * because some devices write them. English without a tag, or if its language is not supported.
 */
export function textsFor(locale: string | null): Texts {
  const [language = ''] = (locale ?? '').trim().toLowerCase().split(/[-_]/, 1)
  return LANGUAGES.get(language) ?? en
}

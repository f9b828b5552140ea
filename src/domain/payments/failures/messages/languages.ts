import { en } from './en.ts'
import { ja } from './ja.ts'
import type { Texts } from './texts.ts'

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

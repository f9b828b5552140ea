import { en } from './en.ts'
import { ja } from './ja.ts'
import type { Texts } from './texts.ts'

/** The languages that payers are spoken to in, by their BCP 47 language subtag. A new language is one file and one line. */
export const LANGUAGES: ReadonlyMap<string, Texts> = new Map([
  ['en', en],
  ['ja', ja],
])

/**
 * The texts for a BCP 47 tag, chosen by its language alone: `ja-JP` reads Japanese. Underscores count as hyphens, as some
 * devices write them. English where no tag is given or its language is not there.
 */
export function textsFor(locale: string | null): Texts {
  const [language = ''] = (locale ?? '').trim().toLowerCase().split(/[-_]/, 1)
  return LANGUAGES.get(language) ?? en
}

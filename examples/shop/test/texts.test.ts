import { describe, expect, it } from 'vitest'
import { en } from '../page/texts/en.ts'
import { LANGUAGES } from '../server/catalogue.ts'

type Tree = { readonly [key: string]: string | null | Tree }
type Row = readonly [key: string, text: string | null]

/** The script of each language that is not written in Latin letters. */
const SCRIPTS: Readonly<Record<string, RegExp>> = {
  ja: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u,
  ko: /\p{Script=Hangul}/u,
  'zh-Hans': /\p{Script=Han}/u,
  th: /\p{Script=Thai}/u,
}

/** What no language writes; in French also a space before a mark that can break the line, in Korean a choice of particles. */
const MISTAKES = /'| {2}|\.\.\.| [:;?!]|을\(를\)|이\(가\)|은\(는\)/

const rows = (tree: Tree, path = ''): Row[] =>
  Object.entries(tree).flatMap(([key, value]) =>
    typeof value === 'string' || value === null ? [[path + key, value] as const] : rows(value, `${path}${key}.`),
  )
const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).toSorted().join()

const ENGLISH = rows(en)
/** Returns the keys of a language with both texts. */
const pairsOf = (texts: ReadonlyMap<string, string | null>) =>
  ENGLISH.flatMap(([key, english]) => {
    const text = texts.get(key) ?? null
    return english === null || text === null ? [] : [[key, english, text] as const]
  })

const OTHERS = LANGUAGES.filter((language) => language !== 'en')

describe.each(OTHERS)('the texts in %s', (language) => {
  const load = async () => {
    const loaded = (await import(`../page/texts/${language}.ts`)) as Readonly<Record<string, Tree>>
    const [texts = {}] = Object.values(loaded)
    return new Map(rows(texts))
  }

  it('have every key, with its placeholders', async () => {
    const texts = await load()
    const missing = ENGLISH.filter(([key, english]) => english !== null && (texts.get(key) ?? '').trim() === '')
    const more = [...texts.keys()].filter(
      (key) => !key.startsWith('reasons') && !ENGLISH.some(([known]) => known === key),
    )
    expect([...missing, ...more]).toEqual([])
    const pairs = pairsOf(texts)
    expect(pairs.length).toBeGreaterThan(100)
    expect(pairs.filter(([, english, text]) => placeholders(english) !== placeholders(text))).toEqual([])
  })

  it('are translated, in the script of the language, and about as long', async () => {
    const script = SCRIPTS[language] ?? /\p{L}/u
    expect(
      pairsOf(await load()).filter(
        ([, english, text]) =>
          // Names and terms of a word or two may be the same everywhere.
          (english.length > 12 && text === english) ||
          (english.length > 4 && !script.test(text)) ||
          text.length > english.length * 2 + 16 ||
          text.length < english.length / 8,
      ),
    ).toEqual([])
  })

  it('have no straight apostrophe, double space, or full stop where English has none', async () => {
    const endsAlike = (english: string, text: string) =>
      language === 'ja' || /[.!?:…]$/.test(english) || !/[.。]$/.test(text)
    expect(
      pairsOf(await load()).filter(([, english, text]) => MISTAKES.test(text) || !endsAlike(english, text)),
    ).toEqual([])
  })
})

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

const rows = (tree: Tree, path = ''): Row[] =>
  Object.entries(tree).flatMap(([key, value]) =>
    typeof value === 'string' || value === null ? [[path + key, value] as const] : rows(value, `${path}${key}.`),
  )
const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort()

const ENGLISH = rows(en)
const OTHERS = LANGUAGES.filter((language) => language !== 'en')

describe.each(OTHERS)('the texts in %s', (language) => {
  const load = async () => {
    const loaded = (await import(`../page/texts/${language}.ts`)) as Readonly<Record<string, Tree>>
    const [texts = {}] = Object.values(loaded)
    return new Map(rows(texts))
  }

  it('have every key, with its placeholders', async () => {
    const texts = await load()
    for (const [key, english] of ENGLISH) {
      if (english === null) continue
      expect([key, ...placeholders(texts.get(key) ?? '')]).toEqual([key, ...placeholders(english)])
      expect([key, (texts.get(key) ?? '').trim()]).not.toEqual([key, ''])
    }
    const more = [...texts.keys()].filter((key) => !ENGLISH.some(([known]) => known === key))
    expect(more.filter((key) => !key.startsWith('reasons.'))).toEqual([])
  })

  it('are translated, in the script of the language, and about as long', async () => {
    const script = SCRIPTS[language]
    for (const [key, text] of await load()) {
      const english = ENGLISH.find(([known]) => known === key)?.[1]
      if (text === null || english == null) continue
      // Names and terms of a word or two may be the same everywhere.
      if (english.length > 12) expect([key, text]).not.toEqual([key, english])
      if (script !== undefined && english.length > 4) expect([key, text]).toEqual([key, expect.stringMatching(script)])
      expect([key, text.length <= english.length * 2 + 16]).toEqual([key, true])
      expect([key, text.length >= english.length / 8]).toEqual([key, true])
    }
  })

  it('have no straight apostrophe, double space, or full stop where English has none', async () => {
    for (const [key, text] of await load()) {
      const english = ENGLISH.find(([known]) => known === key)?.[1]
      if (text === null || english == null) continue
      expect([key, /'| {2}|\.\.\./.test(text)]).toEqual([key, false])
      if (!/[.!?:…]$/.test(english) && language !== 'ja') expect([key, /[.。]$/.test(text)]).toEqual([key, false])
    }
  })
})

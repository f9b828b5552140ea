import { keep, kept, ofBrowser } from 'payments-subgraph-pages/storage'
import { createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import { en, type Texts } from './texts/en.ts'
import { ja } from './texts/ja.ts'

const LANGUAGES = { en, ja } as const

export type Language = keyof typeof LANGUAGES

/** The languages of the shop, each in its own spelling. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', ja: '日本語' }

export type Speaking = { readonly language: Language; readonly texts: Texts }

/** The language of the components below. */
export const Speech = createContext<Speaking>({ language: 'en', texts: en })

/** Returns the language of a component and its texts. */
export function useSpeech(): Speaking {
  return useContext(Speech)
}

const KEPT_AS = 'shop:language'

/**
 * Returns the user's language: the one chosen before, or the browser's. Sets the document's `lang`, so that screen readers
 * use it.
 */
export function useLanguage(): readonly [Speaking, (language: Language) => void] {
  const [language, setLanguage] = useState(firstLanguage)
  const texts = LANGUAGES[language]
  useEffect(() => {
    document.documentElement.lang = language
    keep(ofBrowser, KEPT_AS, language)
  }, [language])
  return [{ language, texts }, setLanguage]
}

export function isLanguage(text: unknown): text is Language {
  return typeof text === 'string' && Object.hasOwn(LANGUAGES, text)
}

function firstLanguage(): Language {
  const chosen = kept(ofBrowser, KEPT_AS)
  if (isLanguage(chosen)) return chosen
  return navigator.language.startsWith('ja') ? 'ja' : 'en'
}

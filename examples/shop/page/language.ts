import { keep, kept, ofBrowser } from 'payments-subgraph-pages/storage'
import { createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import { en, type Texts } from './texts/en.ts'

/** The languages of the shop, each in its own spelling. */
export const LANGUAGE_NAMES = {
  en: 'English',
  ja: '日本語',
  ko: '한국어',
  'zh-Hans': '简体中文',
  vi: 'Tiếng Việt',
  th: 'ไทย',
  id: 'Bahasa Indonesia',
  ms: 'Bahasa Melayu',
  es: 'Español',
  pt: 'Português',
  fr: 'Français',
} as const

export type Language = keyof typeof LANGUAGE_NAMES

/** A page loads the texts of its own language alone. */
const LOADERS: Readonly<Record<Language, () => Texts | Promise<Texts>>> = {
  en: () => en,
  ja: async () => (await import('./texts/ja.ts')).ja,
  ko: async () => (await import('./texts/ko.ts')).ko,
  'zh-Hans': async () => (await import('./texts/zh-Hans.ts')).zhHans,
  vi: async () => (await import('./texts/vi.ts')).vi,
  th: async () => (await import('./texts/th.ts')).th,
  id: async () => (await import('./texts/id.ts')).id,
  ms: async () => (await import('./texts/ms.ts')).ms,
  es: async () => (await import('./texts/es.ts')).es,
  pt: async () => (await import('./texts/pt.ts')).pt,
  fr: async () => (await import('./texts/fr.ts')).fr,
}

export type Speaking = { readonly language: Language; readonly texts: Texts }

/** The language of the components below. */
export const Speech = createContext<Speaking>({ language: 'en', texts: en })

/** Returns the language of a component and its texts. */
export function useSpeech(): Speaking {
  return useContext(Speech)
}

/** Returns a text with its `{placeholders}` replaced by values. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder)
}

const KEPT_AS = 'shop:language'

/** Returns the user's language, and loads its texts: the one chosen before, or the first of the browser's that the shop has. */
export async function loadLanguage(): Promise<Speaking> {
  const chosen = kept(ofBrowser, KEPT_AS)
  return speak(isLanguage(chosen) ? chosen : (navigator.languages.map(languageOf).find((one) => one !== null) ?? 'en'))
}

async function speak(language: Language): Promise<Speaking> {
  return { language, texts: await LOADERS[language]() }
}

/** Returns the shop's language for a BCP 47 tag, by language and script: `zh-CN` is written in simplified characters, `zh-TW` is not. */
function languageOf(tag: string): Language | null {
  const { language, script } = new Intl.Locale(tag).maximize()
  return [language, `${language}-${script}`].find(isLanguage) ?? null
}

/** Sets language and direction of the document, so that screen readers and the layout use them. Returns how to change the language. */
export function useLanguage(first: Speaking): readonly [Speaking, (language: Language) => void] {
  const [speaking, setSpeaking] = useState(first)
  const { language } = speaking
  useEffect(() => {
    document.documentElement.lang = language
    document.documentElement.dir = directionOf(language)
    keep(ofBrowser, KEPT_AS, language)
  }, [language])
  return [speaking, (next) => void speak(next).then(setSpeaking)]
}

/** `getTextInfo` is not in every browser; without it, text runs from left to right, as in all languages of the shop. */
function directionOf(language: Language): string {
  const locale = new Intl.Locale(language) as Intl.Locale & { getTextInfo?: () => { direction?: string } }
  return locale.getTextInfo?.().direction ?? 'ltr'
}

export function isLanguage(text: unknown): text is Language {
  return typeof text === 'string' && Object.hasOwn(LANGUAGE_NAMES, text)
}

/** Returns an instant as the language writes it. */
export function instantText(instant: string, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short' }).format(new Date(instant))
}

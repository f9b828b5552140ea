import { useState } from 'preact/hooks'
import { Glyph, Icon } from '../../design/icons.tsx'
import { type Look, lookOf, type StatusKind } from './statuses.ts'
import type { AmountValue } from './sums.ts'

type StatusProps = {
  /** The enum of the schema. */
  readonly kind: StatusKind
  readonly of: string
  /** The text of the payments API, which is shown for a value that is not known here. */
  readonly raw?: string | null
  /** Fills it with its colour: once on a page, at its head. */
  readonly isFilled?: boolean
}

/** An enum value as a glyph and a word; its colour says nothing more. */
export function Status({ kind, of, raw = null, isFilled = false }: StatusProps) {
  return <Marked look={lookOf(kind, of, raw)} isFilled={isFilled} />
}

type MarkedProps = { readonly look: Look; readonly isFilled?: boolean }

/** A word with the glyph and the colour of its tone, for what is no enum of the schema. */
export function Marked({ look: { word, glyph, tone }, isFilled = false }: MarkedProps) {
  return (
    <span class={`status ${tone}${isFilled ? ' filled' : ''}`}>
      <Glyph name={glyph} />
      <span>{word}</span>
    </span>
  )
}

/** Abbreviations, which are written in capitals. */
const ABBREVIATIONS: ReadonlySet<string> = new Set(['QR', 'EFT', 'UPI'])

/** Returns an enum value as words: `In progress` for `IN_PROGRESS`, `QR` for `QR`. */
export function wordsOf(value: string): string {
  const words = value.split('_').map((word) => (ABBREVIATIONS.has(word) ? word : word.toLowerCase()))
  const text = words.join(' ')
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

export type { AmountValue }

type AmountProps = { readonly of: AmountValue | null | undefined; readonly class?: string }

/** An exact amount: digits in the user's locale, then the code of the currency; a dash for none. */
export function Amount({ of, class: more = '' }: AmountProps) {
  if (of === null || of === undefined) return <>–</>
  return (
    <span class={`amount ${more}`}>
      {digitsOf(of)} <abbr>{of.currency}</abbr>
    </span>
  )
}

/** Returns an exact amount as text: `1,250.50 AUD`. */
export function amountText(amount: AmountValue): string {
  return `${digitsOf(amount)} ${amount.currency}`
}

function digitsOf({ value, exponent }: AmountValue): string {
  const significant = Array.from(value.split('.')[1] ?? '').findLastIndex((digit) => digit !== '0') + 1
  const decimals = Math.max(exponent, significant)
  const format = new Intl.NumberFormat(navigator.language, {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  })
  // A decimal as text is exact: https://tc39.es/ecma402/#sec-tointlmathematicalvalue
  return format.format(value as Intl.StringNumericLiteral)
}

type IdProps = {
  readonly of: string
  /** What it is, for the name of the button: `payment id`. */
  readonly what: string
}

/** Milliseconds for which the button says that it has copied. */
const SAID_MS = 2_000

/** An id or a reference, with a button that copies it. */
export function Id({ of, what }: IdProps) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(of)
    setCopied(true)
    window.setTimeout(() => setCopied(false), SAID_MS)
  }
  return (
    <span class="id">
      <span>{of}</span>
      <button class="copy" type="button" aria-label={`Copy the ${what}`} onClick={() => void copy()}>
        <Icon name={isCopied ? 'check' : 'copy'} />
      </button>
      <span class="hidden-text" role="status">
        {isCopied && 'Copied'}
      </span>
    </span>
  )
}

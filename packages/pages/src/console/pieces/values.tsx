import { formatAmount } from 'payments-subgraph-client'

type Tone = 'good' | 'warn' | 'bad' | 'plain'

const TONES: Readonly<Record<string, Tone>> = {
  SUCCEEDED: 'good',
  PAID: 'good',
  ACTIVE: 'good',
  APPLIED: 'good',
  APPROVED: 'good',
  AVAILABLE: 'good',
  OPEN: 'plain',
  IN_PROGRESS: 'plain',
  CREATED: 'plain',
  REFUNDING: 'warn',
  SUSPENDED: 'warn',
  DOUBTFUL: 'warn',
  PROBING: 'warn',
  READS_PAUSED: 'warn',
  FAILED: 'bad',
  REJECTED: 'bad',
  DISPUTED: 'bad',
  QUARANTINED: 'bad',
  UNAVAILABLE: 'bad',
  CREDENTIALS_REJECTED: 'bad',
}

/** An enum value as a coloured word; the word alone carries the meaning. */
export function Status({ of }: { readonly of: string }) {
  return <span class={`status ${TONES[of] ?? 'plain'}`}>{wordsOf(of)}</span>
}

/** Abbreviations, which are written in capitals. */
const ABBREVIATIONS: ReadonlySet<string> = new Set(['QR', 'EFT', 'UPI'])

/** Returns an enum value as words: `In progress` for `IN_PROGRESS`, `QR` for `QR`. */
export function wordsOf(value: string): string {
  const words = value.split('_').map((word) => (ABBREVIATIONS.has(word) ? word : word.toLowerCase()))
  const text = words.join(' ')
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

export type AmountValue = { readonly value: string; readonly currency: string; readonly exponent: number }

/** An exact amount in the user's locale; a dash for none. */
export function Amount({ of }: { readonly of: AmountValue | null | undefined }) {
  return of === null || of === undefined ? <>–</> : <span class="amount">{amountText(of)}</span>
}

/** Returns an exact amount in the user's locale as text. */
export function amountText(amount: AmountValue): string {
  return formatAmount(amount, navigator.language)
}

const FORMAT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })

/** An instant in the user's time zone, with the value from the graph as its title; a dash for none. */
export function Moment({ at, short = false }: { readonly at: string | null | undefined; readonly short?: boolean }) {
  if (at === null || at === undefined) return <>–</>
  return (
    <time dateTime={at} title={at}>
      {(short ? TIME : FORMAT).format(new Date(at))}
    </time>
  )
}

/** Returns an instant in the user's time zone as text. */
export function momentText(at: number): string {
  return FORMAT.format(at)
}

/** Returns the time of day of an instant as text. */
export function timeText(at: number): string {
  return TIME.format(at)
}

/** Returns a duration in one unit: `340 ms`, `12 s`, `5 min`, `3 h`, `2 d`. */
export function durationText(ms: number): string {
  const units: [string, number][] = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1_000],
  ]
  const [unit, length] = units.find(([, size]) => ms >= size * 2) ?? ['ms', 1]
  return `${Math.round(ms / length)} ${unit}`
}

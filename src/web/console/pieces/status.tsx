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
const ABBREVIATIONS: ReadonlySet<string> = new Set(['QR', 'EFT'])

/** Returns an enum value as words: `In progress` for `IN_PROGRESS`, `QR` for `QR`. */
export function wordsOf(value: string): string {
  const words = value.split('_').map((word) => (ABBREVIATIONS.has(word) ? word : word.toLowerCase()))
  const text = words.join(' ')
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

import type { WebhookDispositionInput } from '../generated/graphql.ts'

export const DISPOSITIONS: readonly WebhookDispositionInput[] = [
  'APPLIED',
  'STALE',
  'NO_CHANGE',
  'DOUBTFUL',
  'QUARANTINED',
]

const QUARANTINE: Readonly<Record<string, string>> = {
  NO_JSON_OBJECT: 'It was no JSON object.',
  UNREADABLE: 'It names no usable id, or no status.',
  MISADDRESSED: 'It speaks of something else than its address.',
}

/** Returns a sentence that says why a delivery was quarantined. */
export function quarantineText(reason: string): string {
  return QUARANTINE[reason] ?? reason
}

/** Returns the stored body with indentation; unchanged when it is not JSON. */
export function bodyText(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), exactNumbers, 2)
  } catch {
    return body
  }
}

/** Rejects numbers that would not be written back with the same digits, because bodies may contain amounts as numbers. */
function exactNumbers(_name: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) throw new Error('It may not be exact.')
  return value
}

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

/** Why a delivery could not be used, in a sentence. */
export function quarantineText(reason: string): string {
  return QUARANTINE[reason] ?? reason
}

/** What is kept of a body, laid out to be read; as it is where it is no JSON. */
export function bodyText(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), exactNumbers, 2)
  } catch {
    return body
  }
}

/** Amounts may be numbers: those that would not read back as they were written are not laid out. */
function exactNumbers(_name: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) throw new Error('It may not be exact.')
  return value
}

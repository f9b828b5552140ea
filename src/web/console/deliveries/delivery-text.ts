import type { DeliveryRowFragment, WebhookDispositionInput } from '../generated/graphql.ts'

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

const ADVICE: Readonly<Record<string, string>> = {
  NO_JSON_OBJECT: 'Nothing was applied. Ask the support of the payments API what it sent at this time.',
  UNREADABLE:
    'Nothing was applied. Reconcile its payment, if you know it. After an upgrade that can read it, decide it anew.',
  MISADDRESSED:
    'Nothing was applied. Reconcile the payment of its address and the one that it names, and compare their references.',
}

/** Returns what a person does about a delivery that needs one. */
export function adviceFor({ disposition, quarantineReason }: DeliveryRowFragment): string {
  if (disposition === 'DOUBTFUL')
    return 'It contradicts what is known, and the payments API has not been read since. That is done without you within minutes. If it stays: look at Health whether the payments API answers, then reconcile it.'
  return ADVICE[quarantineReason ?? ''] ?? 'Decide it anew, or ask the support of the payments API.'
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

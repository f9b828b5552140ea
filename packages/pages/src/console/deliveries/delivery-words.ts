import type { DeliveryRowFragment, PaymentsWebhookRefusal } from '../generated/graphql.ts'

const QUARANTINE: Readonly<Record<string, string>> = {
  NO_JSON_OBJECT: 'The body was not a JSON object.',
  UNREADABLE: 'The body has no usable id or status.',
  MISADDRESSED: 'The body is about another subject than the webhook URL.',
}

const OUTCOMES: Readonly<Record<string, string>> = {
  APPLIED: 'It was newer than the state, and changed it.',
  STALE: 'It was older than the state, and changed nothing.',
  NO_CHANGE: 'It reported what was already known.',
  DOUBTFUL: 'It contradicts the state, which a read of the payments API decides.',
}

/** Returns a sentence that says why a delivery was applied or not. */
export function outcomeText({ disposition, quarantineReason, needsAttention }: DeliveryRowFragment): string {
  if (quarantineReason !== null) return QUARANTINE[quarantineReason] ?? quarantineReason
  if (disposition === 'DOUBTFUL' && !needsAttention)
    return 'It contradicted the state; the payments API has been read since, and has decided.'
  return OUTCOMES[disposition] ?? disposition
}

const ADVICE: Readonly<Record<string, string>> = {
  NO_JSON_OBJECT: 'Nothing was applied. Ask the provider what it sent at this time.',
  UNREADABLE:
    'Nothing was applied. If you know the payment, reconcile it. After an upgrade to a version that can read it, replay it.',
  MISADDRESSED:
    'Nothing was applied. Reconcile the payment of the webhook URL and the one in the body, and compare their references.',
}

/** Returns what a person does about a delivery that needs attention; null for another one. */
export function adviceFor({ disposition, quarantineReason, needsAttention }: DeliveryRowFragment): string | null {
  if (!needsAttention) return null
  if (disposition === 'DOUBTFUL')
    return 'This normally resolves itself within minutes. If not, check in Health whether the payments API answers, then reconcile it.'
  return ADVICE[quarantineReason ?? ''] ?? 'Replay it, or ask the provider.'
}

type Refusal = { readonly word: string; readonly advice: string }

/** Why webhooks are refused, and what to do. */
export const REFUSALS: Readonly<Record<PaymentsWebhookRefusal, Refusal>> = {
  SIGNATURE: {
    word: 'Wrong signature',
    advice: 'If the provider sent it, compare its signing secret with WEBHOOK_SECRETS. Otherwise somebody else did.',
  },
  CALLBACK_KEY: { word: 'Wrong or removed key', advice: 'Put a removed key back into CALLBACK_KEYS.' },
  UNKNOWN_ADDRESS: { word: 'Unknown address', advice: 'Check that the callback URL leads to this installation.' },
  UNREADABLE: { word: 'Interrupted', advice: 'Check the proxy; the provider sends it again.' },
  METHOD: { word: 'Not a POST', advice: 'Nothing: webhooks are sent by POST.' },
  TOO_LARGE: { word: 'Longer than 64 KiB', advice: 'Ask the provider what it sent.' },
  TOO_SLOW: { word: 'Too slow', advice: 'Check the proxy; the provider sends it again.' },
  RATE_LIMITED: { word: 'Too many wrong ones', advice: 'See the other reasons; limits are per address.' },
  UNAVAILABLE: { word: 'Not stored', advice: 'Check the database; the provider sends it again.' },
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

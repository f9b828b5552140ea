import type { PaymentDetails } from '../../domain/payments/payment-report.ts'

/** Known details. Instants are encoded by `shortInstant`. */
type Facts = Readonly<Record<string, unknown>>

const UNKNOWN: Readonly<Record<keyof PaymentDetails, null>> = {
  currency: null,
  amount: null,
  total: null,
  paid: null,
  refunded: null,
  refundable: null,
  reference: null,
  methodRaw: null,
  card: null,
  threeDsUrl: null,
  failureCode: null,
  failureMessage: null,
  instructions: null,
  expiresAt: null,
  createdAt: null,
}
const DETAILS = Object.keys(UNKNOWN) as (keyof PaymentDetails)[]
const INSTANTS: ReadonlySet<keyof PaymentDetails> = new Set(['expiresAt', 'createdAt'])

/** Returns the known details of a payment, in the order of the phrases in the dictionary of `payment-snapshot.ts`. */
export function shortDetails(details: PaymentDetails): Facts {
  const facts: Record<string, unknown> = {}
  for (const key of DETAILS) {
    const value = details[key]
    if (value !== null) facts[key] = INSTANTS.has(key) && typeof value === 'string' ? shortInstant(value) : value
  }
  return facts
}

/** Returns the details that were passed to `shortDetails`, with null for unknown ones. */
export function longDetails(facts: Facts): PaymentDetails {
  const details = { ...UNKNOWN, ...facts } as PaymentDetails & Record<'expiresAt' | 'createdAt', string | number | null>
  const { expiresAt, createdAt } = details
  return {
    ...details,
    expiresAt: expiresAt === null ? null : longInstant(expiresAt),
    createdAt: createdAt === null ? null : longInstant(createdAt),
  }
}

/** Texts that certainly survive the conversion to milliseconds and back: only days 1 to 28, which every month has. */
const PLAIN = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

/** Returns an instant in milliseconds since the epoch, or the text itself if it would not be restored exactly from them. */
export function shortInstant(text: string): number | string {
  const at = Date.parse(text)
  if (PLAIN.test(text)) return at
  return Number.isNaN(at) || new Date(at).toISOString() !== text ? text : at
}

/** Returns the text that was passed to `shortInstant`. */
export function longInstant(stored: number | string): string {
  return typeof stored === 'number' ? new Date(stored).toISOString() : stored
}

import type { PaymentDetails } from '../../domain/payments/payment-report.ts'

/** Instants in milliseconds since the epoch. */
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

/** What is known of the details of a payment, in the order of their names in the dictionary of payments. */
export function shortDetails(details: PaymentDetails): Facts {
  const facts: Record<string, unknown> = {}
  for (const key of DETAILS) {
    const value = details[key]
    if (value !== null) facts[key] = INSTANTS.has(key) && typeof value === 'string' ? shortInstant(value) : value
  }
  return facts
}

/** The details again, with null for what is not known. */
export function longDetails(facts: Facts): PaymentDetails {
  const details = { ...UNKNOWN, ...facts } as PaymentDetails & Record<'expiresAt' | 'createdAt', string | number | null>
  const { expiresAt, createdAt } = details
  return {
    ...details,
    expiresAt: expiresAt === null ? null : longInstant(expiresAt),
    createdAt: createdAt === null ? null : longInstant(createdAt),
  }
}

/** Instants that are told to read back as they are written without trying: of days that every month has. */
const PLAIN = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

/** An instant in milliseconds since the epoch; the text itself where it is written in any other way. */
export function shortInstant(text: string): number | string {
  const at = Date.parse(text)
  if (PLAIN.test(text)) return at
  return Number.isNaN(at) || new Date(at).toISOString() !== text ? text : at
}

/** The instant again as it was written. */
export function longInstant(stored: number | string): string {
  return typeof stored === 'number' ? new Date(stored).toISOString() : stored
}

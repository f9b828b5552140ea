import type { PayinStatus, PaymentPhase, PaymentsFilter } from '../generated/graphql.ts'
import { chosenOf, filterOf, instantOf } from '../pieces/filter-form.tsx'
import { lookOf, STATUSES } from '../pieces/statuses.ts'

export const PHASES = Object.keys(STATUSES.PaymentPhase) as PaymentPhase[]
export const STATUS_NAMES = Object.keys(STATUSES.PayinStatus) as PayinStatus[]
export const DUPLICATES = ['OPEN'] as const

/** Returns the filters of the address as those of the graph. */
export function filterIn(params: URLSearchParams): PaymentsFilter {
  const [currency, min, max] = ['currency', 'min', 'max'].map((name) => params.get(name))
  const isRange = min !== null || max !== null
  return {
    createdFrom: instantOf(params, 'since'),
    createdBefore: instantOf(params, 'until'),
    updatedFrom: instantOf(params, 'from'),
    updatedBefore: instantOf(params, 'before'),
    phases: filterOf(params, 'phase', PHASES),
    statuses: filterOf(params, 'status', STATUS_NAMES),
    currency: isRange ? null : currency?.toUpperCase(),
    amount: isRange ? { currency: currency?.toUpperCase() ?? '', min, max } : null,
    methodCode: params.get('method'),
    cardLast4: params.get('last4'),
    site: params.get('site'),
    duplicate: chosenOf(params, 'duplicate', DUPLICATES).length === 0 ? null : true,
  }
}

/** Filters that a typed text may mean. */
type Meaning = { readonly name: string; readonly params: Readonly<Record<string, string>> }

/** Letters from which on a word is taken for the beginning of a status. */
const LEAST_LETTERS = 3

/** Returns what a text may mean beside a reference: a status, the last four digits of a card, an amount with its currency. */
export function meaningsOf(text: string): Meaning[] {
  const word = text.trim().toLowerCase()
  const statuses = word.length < LEAST_LETTERS ? [] : STATUS_NAMES.filter((name) => wordOf(name).startsWith(word))
  const amount = /^([a-z]{3,4}) ?(\d+(?:\.\d+)?)$|^(\d+(?:\.\d+)?) ?([a-z]{3,4})$/.exec(word)
  const value = amount?.[2] ?? amount?.[3]
  const currency = (amount?.[1] ?? amount?.[4])?.toUpperCase()
  return [
    ...statuses.map((name) => ({ name: `Status ${lookOf('PayinStatus', name).word}`, params: { status: name } })),
    ...(/^\d{4}$/.test(word) ? [{ name: `Card ending in ${word}`, params: { last4: word } }] : []),
    ...(value === undefined || currency === undefined
      ? []
      : [{ name: `Amount ${value} ${currency}`, params: { currency, min: value, max: value } }]),
  ]
}

function wordOf(name: PayinStatus): string {
  return lookOf('PayinStatus', name, '').word.toLowerCase()
}

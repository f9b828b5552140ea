import type { Field } from '../pieces/command-drawer.tsx'
import { wordsOf } from '../pieces/values.tsx'

/** The values of the enums of an agreement's input. */
const ENUMS = {
  purpose: [
    'RETAIL',
    'UTILITY',
    'LOAN',
    'MORTGAGE',
    'DEPENDANT_SUPPORT',
    'GAMBLING',
    'SALARY',
    'PERSONAL',
    'GOVERNMENT',
    'PENSION',
    'TAX',
    'OTHER_SERVICE',
  ],
  amountRule: ['VARIABLE', 'FIXED', 'USAGE_BASED', 'BALLOON'],
  frequency: ['ADHOC', 'INTRADAY', 'DAILY', 'WEEKLY', 'FORTNIGHTLY', 'MONTHLY', 'QUARTERLY', 'SEMIANNUAL', 'ANNUAL'],
  payId: ['EMAIL', 'PHONE', 'ABN'],
} as const

/** Returns the values of an enum with their words. */
export function wordOptions(name: keyof typeof ENUMS) {
  return ENUMS[name].map((value) => [value, wordsOf(value)] as const)
}

type Terms = {
  readonly limit: { readonly value: string }
  readonly amountRule: string
  readonly frequency: string
  readonly startDate: string
}

/** The fields of the terms of an agreement, with those that it has. */
export const TERMS = (now: Terms | null): readonly Field[] => [
  { name: 'limit.value', label: 'Limit of each payment in AUD', type: 'decimal', ...given(now?.limit.value) },
  { name: 'amountRule', label: 'Amount rule', options: wordOptions('amountRule'), ...given(now?.amountRule) },
  { name: 'frequency', label: 'Frequency', options: wordOptions('frequency'), ...given(now?.frequency) },
  { name: 'startDate', label: 'First day', type: 'date', ...given(now?.startDate) },
]

/** The currency of all agreements. */
export const IN_AUD = { limit: { currency: 'AUD' } }

const given = (value: string | undefined) => (value === undefined ? {} : { value })

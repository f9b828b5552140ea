import type { PayoutPayee, PayoutStatus } from '../../domain/payouts/payout-report.ts'
import type { Payout } from '../../domain/payouts/payout.ts'
import type { ReadPlan } from '../../domain/reads/read-schedule.ts'
import {
  flag,
  instant,
  integer,
  jsonOrNull,
  named,
  PLAN,
  planFields,
  planOf,
  reshaped,
  type TableOf,
  tableOf,
  text,
} from './columns.ts'
import type { Numbering, TableSpec } from './table.ts'

const payouts = tableOf(
  'payout_records',
  {
    id: text(),
    ref: text(),
    site: text(),
    reference: text<string | null>(),
    methodCode: text<string | null>(),
    /** Null, like `amount`, until it is known. */
    currency: text<string | null>(),
    totalAmount: named('amount', text<string | null>()),
    status: text<PayoutStatus | null>(),
    stateJson: text(),
    createdAt: instant,
    updatedAt: instant,
    deliveries: integer(),
    ...PLAN,
    provisional: flag,
  },
  ['id', 'ref'],
)

export type PayoutRecordsTable = TableOf<typeof payouts.fields> & { number: Numbering }

export type PayoutRow = {
  readonly state: Payout
  /** Callbacks and responses recorded so far. */
  readonly deliveries: number
  readonly plan: ReadPlan
}

export const PAYOUTS: TableSpec<PayoutRow, 'id' | 'ref'> = {
  ...reshaped(payouts, {
    keys: ({ state }) => state,
    flat: ({ state, deliveries, plan }) => ({
      ...state,
      stateJson: JSON.stringify(state),
      deliveries,
      ...planFields(plan),
    }),
    shape: ({ stateJson, deliveries, ...plan }) => ({ state: toPayout(stateJson), deliveries, plan: planOf(plan) }),
  }),
  numbered: true,
}

/** Returns the payout of its column. */
export function toPayout(stateJson: string): Payout {
  return JSON.parse(stateJson) as Payout
}

const payees = tableOf(
  'payout_payees',
  {
    /** That of the payout. */
    id: named('payout_id', text()),
    payees: named('payees_json', jsonOrNull<readonly PayoutPayee[]>()),
    erased: flag,
  },
  ['id'],
)

export type PayoutPayeesTable = TableOf<typeof payees.fields>

/** The payees of a payout; `id` is that of the payout. */
export type PayoutPayeesRow = {
  readonly id: string
  readonly payees: readonly PayoutPayee[]
  /** What is reported of erased payees is dropped. */
  readonly erased: boolean
}

export const PAYOUT_PAYEES: TableSpec<PayoutPayeesRow, 'id'> = reshaped(payees, {
  keys: (row) => row,
  flat: (row) => ({ ...row, payees: row.erased ? null : row.payees }),
  shape: (row) => ({ ...row, payees: row.payees ?? [] }),
})

import type { Generated } from 'kysely'
import type { PayoutPayee, PayoutStatus } from '../../domain/payouts/payout-report.ts'
import type { Payout } from '../../domain/payouts/payout.ts'
import type { ReadPlan } from '../../domain/reads/read-schedule.ts'
import {
  fromIso,
  PLAN_COLUMNS,
  planColumns,
  planOf,
  type PlanTable,
  type Flag,
  type Numbering,
  type TableSpec,
} from './table.ts'

export type PayoutRecordsTable = PlanTable & {
  number: Numbering
  id: string
  ref: string
  site: string
  reference: string | null
  method_code: string | null
  /** Null, like `amount`, until it is known. */
  currency: string | null
  amount: string | null
  status: PayoutStatus | null
  state_json: string
  created_at: number
  updated_at: number
  deliveries: Generated<number>
  provisional: Flag
}

export type PayoutPayeesTable = { payout_id: string; payees_json: string | null; erased: Generated<Flag> }

export type PayoutRow = {
  readonly state: Payout
  /** Callbacks and responses recorded so far. */
  readonly deliveries: number
  readonly plan: ReadPlan
}

export const PAYOUTS: TableSpec<PayoutRow, 'id' | 'ref'> = {
  name: 'payout_records',
  numbered: true,
  columns: {
    id: 'text',
    ref: 'text',
    site: 'text',
    reference: 'text',
    method_code: 'text',
    currency: 'text',
    amount: 'text',
    status: 'text',
    state_json: 'text',
    created_at: 'integer',
    updated_at: 'integer',
    deliveries: 'integer',
    ...PLAN_COLUMNS,
    provisional: 'integer',
  },
  keyOf: ({ state }) => state.id,
  lookups: {
    id: { columns: ['id'], keyOf: ({ state }) => state.id },
    ref: { columns: ['ref'], keyOf: ({ state }) => state.ref },
  },
  fromRow: (row) => ({
    state: toPayout(String(row['state_json'])),
    deliveries: Number(row['deliveries']),
    plan: planOf(row),
  }),
  toRow: ({ state, deliveries, plan }) => ({
    id: state.id,
    ref: state.ref,
    site: state.site,
    reference: state.reference,
    method_code: state.methodCode,
    currency: state.currency,
    amount: state.totalAmount,
    status: state.status,
    state_json: JSON.stringify(state),
    created_at: fromIso(state.createdAt),
    updated_at: fromIso(state.updatedAt),
    deliveries,
    ...planColumns(plan),
    provisional: state.provisional ? 1 : 0,
  }),
}

/** Returns the payout of its column. */
export function toPayout(stateJson: string): Payout {
  return JSON.parse(stateJson) as Payout
}

/** The payees of a payout; `id` is that of the payout. */
export type PayoutPayeesRow = {
  readonly id: string
  readonly payees: readonly PayoutPayee[]
  /** What is reported of erased payees is dropped. */
  readonly erased: boolean
}

export const PAYOUT_PAYEES: TableSpec<PayoutPayeesRow, 'id'> = {
  name: 'payout_payees',
  columns: { payout_id: 'text', payees_json: 'text', erased: 'integer' },
  keyOf: ({ id }) => id,
  lookups: { id: { columns: ['payout_id'], keyOf: ({ id }) => id } },
  fromRow: (row) => ({
    id: String(row['payout_id']),
    payees: row['payees_json'] === null ? [] : (JSON.parse(String(row['payees_json'])) as PayoutPayee[]),
    erased: row['erased'] === 1,
  }),
  toRow: ({ id, payees, erased }) => ({
    payout_id: id,
    payees_json: erased ? null : JSON.stringify(payees),
    erased: erased ? 1 : 0,
  }),
}

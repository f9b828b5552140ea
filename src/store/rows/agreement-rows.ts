import type { Generated } from 'kysely'
import type { PaymentAgreementPayer, PaymentAgreementStatus } from '../../domain/agreements/agreement-report.ts'
import type { Agreement } from '../../domain/agreements/agreement.ts'
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

export type AgreementsTable = PlanTable & {
  number: Numbering
  id: string
  service_id: string | null
  client_transaction_id: string | null
  ref: string
  stream_id: string
  site: string
  owner_id: string | null
  status: PaymentAgreementStatus | null
  state_json: string
  created_at: number
  updated_at: number
  deliveries: Generated<number>
  provisional: Flag
}

export type AgreementPayersTable = {
  agreement_id: string
  name: string | null
  bsb: string | null
  account_number_masked: string | null
  pay_id_masked: string | null
  pay_id_type: PaymentAgreementPayer['payIdType']
  erased: Generated<Flag>
}

export type AgreementRow = {
  readonly state: Agreement
  /** When it was first recorded; the column contains the creation at the payments API instead, if known. Milliseconds since the epoch. */
  readonly createdAt: number
  /** Callbacks and responses recorded so far. */
  readonly deliveries: number
  readonly plan: ReadPlan
}

export const AGREEMENTS: TableSpec<AgreementRow, 'id' | 'ref' | 'clientTransactionId'> = {
  name: 'agreements',
  numbered: true,
  columns: {
    id: 'text',
    service_id: 'text',
    client_transaction_id: 'text',
    ref: 'text',
    stream_id: 'text',
    site: 'text',
    owner_id: 'text',
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
    clientTransactionId: { columns: ['client_transaction_id'], keyOf: ({ state }) => state.clientTransactionId },
  },
  fromRow: (row) => ({
    state: toAgreement(String(row['state_json'])),
    createdAt: Number(row['created_at']),
    deliveries: Number(row['deliveries']),
    plan: planOf(row),
  }),
  toRow: ({ state, createdAt, deliveries, plan }) => ({
    id: state.id,
    service_id: state.serviceId,
    client_transaction_id: state.clientTransactionId,
    ref: state.ref,
    stream_id: state.streamId,
    site: state.site,
    owner_id: state.ownerId,
    status: state.status,
    state_json: JSON.stringify(state),
    created_at: state.createdAt === null ? createdAt : fromIso(state.createdAt),
    updated_at: fromIso(state.updatedAt),
    deliveries,
    ...planColumns(plan),
    provisional: state.provisional ? 1 : 0,
  }),
}

/** Returns the agreement of its column. */
export function toAgreement(stateJson: string): Agreement {
  return JSON.parse(stateJson) as Agreement
}

/** The debited payer of an agreement; `id` is that of the agreement. */
export type AgreementPayerRow = {
  readonly id: string
  readonly payer: PaymentAgreementPayer
  /** What is reported of an erased payer is dropped. */
  readonly erased: boolean
}

export const AGREEMENT_PAYERS: TableSpec<AgreementPayerRow, 'id'> = {
  name: 'agreement_payers',
  columns: {
    agreement_id: 'text',
    name: 'text',
    bsb: 'text',
    account_number_masked: 'text',
    pay_id_masked: 'text',
    pay_id_type: 'text',
    erased: 'integer',
  },
  keyOf: ({ id }) => id,
  lookups: { id: { columns: ['agreement_id'], keyOf: ({ id }) => id } },
  fromRow: (row) => ({
    id: String(row['agreement_id']),
    payer: {
      name: row['name'] as string | null,
      bsb: row['bsb'] as string | null,
      accountNumberMasked: row['account_number_masked'] as string | null,
      payIdMasked: row['pay_id_masked'] as string | null,
      payIdType: row['pay_id_type'] as PaymentAgreementPayer['payIdType'],
    },
    erased: row['erased'] === 1,
  }),
  toRow: ({ id, payer, erased }) => ({
    agreement_id: id,
    name: payer.name,
    bsb: payer.bsb,
    account_number_masked: payer.accountNumberMasked,
    pay_id_masked: payer.payIdMasked,
    pay_id_type: payer.payIdType,
    erased: erased ? 1 : 0,
  }),
}

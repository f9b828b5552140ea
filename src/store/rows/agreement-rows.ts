import type { PaymentAgreementPayer, PaymentAgreementStatus } from '../../domain/agreements/agreement-report.ts'
import type { Agreement } from '../../domain/agreements/agreement.ts'
import type { ReadPlan } from '../../domain/reads/read-schedule.ts'
import {
  flag,
  instant,
  integer,
  PLAN,
  named,
  planFields,
  planOf,
  reshaped,
  type RowOf,
  type TableOf,
  tableOf,
  text,
} from './columns.ts'
import { fromIso, type Numbering, type TableSpec } from './table.ts'

const agreements = tableOf(
  'agreements',
  {
    id: text(),
    serviceId: text<string | null>(),
    clientTransactionId: text<string | null>(),
    ref: text(),
    streamId: text(),
    site: text(),
    ownerId: text<string | null>(),
    status: text<PaymentAgreementStatus | null>(),
    stateJson: text(),
    createdAt: integer(),
    updatedAt: instant,
    deliveries: integer(),
    ...PLAN,
    provisional: flag,
  },
  ['id', 'ref', 'clientTransactionId'],
)

export type AgreementsTable = TableOf<typeof agreements.fields> & { number: Numbering }

export type AgreementRow = {
  readonly state: Agreement
  /** When it was first recorded; the column contains the creation at the payments API instead, if known. Milliseconds since the epoch. */
  readonly createdAt: number
  /** Callbacks and responses recorded so far. */
  readonly deliveries: number
  readonly plan: ReadPlan
}

export const AGREEMENTS: TableSpec<AgreementRow, 'id' | 'ref' | 'clientTransactionId'> = {
  ...reshaped(agreements, {
    keys: ({ state }) => state,
    flat: ({ state, createdAt, deliveries, plan }) => ({
      ...state,
      stateJson: JSON.stringify(state),
      createdAt: state.createdAt === null ? createdAt : fromIso(state.createdAt),
      deliveries,
      ...planFields(plan),
    }),
    shape: ({ stateJson, createdAt, deliveries, ...plan }) => ({
      state: toAgreement(stateJson),
      createdAt,
      deliveries,
      plan: planOf(plan),
    }),
  }),
  numbered: true,
}

/** Returns the agreement of its column. */
export function toAgreement(stateJson: string): Agreement {
  return JSON.parse(stateJson) as Agreement
}

const payers = tableOf(
  'agreement_payers',
  {
    /** That of the agreement. */
    id: named('agreement_id', text()),
    name: text<string | null>(),
    bsb: text<string | null>(),
    accountNumberMasked: text<string | null>(),
    payIdMasked: text<string | null>(),
    payIdType: text<PaymentAgreementPayer['payIdType']>(),
    /** What is reported of an erased payer is dropped. */
    erased: flag,
  },
  ['id'],
)

export type AgreementPayersTable = TableOf<typeof payers.fields>

/** The debited payer of an agreement. */
export type AgreementPayerRow = Pick<RowOf<typeof payers.fields>, 'id' | 'erased'> & {
  readonly payer: PaymentAgreementPayer
}

export const AGREEMENT_PAYERS: TableSpec<AgreementPayerRow, 'id'> = reshaped(payers, {
  keys: (row) => row,
  flat: ({ id, payer, erased }) => ({ id, ...payer, erased }),
  shape: ({ id, erased, ...payer }) => ({ id, payer, erased }),
})

import { sql } from 'kysely'
import type { Agreement } from '../../domain/agreements/agreement.ts'
import type { GatewayPayment } from '../../domain/gateway/gateway-payment.ts'
import type { PayoutPayee } from '../../domain/payouts/payout-report.ts'
import type { Payout } from '../../domain/payouts/payout.ts'
import type { Db } from '../group-commit.ts'
import { toAgreement } from '../rows/agreement-rows.ts'
import { toGatewayPayment } from '../rows/gateway-payment-rows.ts'
import { PAYOUT_PAYEES, toPayout } from '../rows/payout-rows.ts'
import type { AgreementStore, PayoutStore, GatewayPaymentStore } from '../subject-stores.ts'
import { type List, listStore } from './lists.ts'
import { lookUp } from './look-up.ts'
import { payersOfAgreements } from './payment-queries.ts'
import { oneOf } from './read-page.ts'

/** Creates the queries of agreements and their payers. `lists` reads outside the event loop where the database can. */
export function createAgreementStore(reader: Db, lists: Db): AgreementStore {
  return {
    byIds: agreementsBy(reader, 'id'),
    byClientTransactionIds: agreementsBy(reader, 'client_transaction_id'),
    payers: (ids) => payersOfAgreements(reader, ids),
    ...listStore(lists, agreementList),
    snapshot: (id) => agreementSnapshot(reader, id),
  }
}

function agreementsBy(
  db: Db,
  column: 'id' | 'client_transaction_id',
): (values: readonly string[]) => Promise<Agreement[]> {
  const read = lookUp(db, (values) => db.selectFrom('agreements').select('state_json').where(column, 'in', values))
  return async (values) => (await read(values)).map((row) => toAgreement(row.state_json))
}

type StateRow = { readonly state_json: string }

const agreementList: List<StateRow, Agreement> = {
  table: 'agreements',
  columns: sql`state_json`,
  compared: {
    ids: 'id',
    clientTransactionId: 'client_transaction_id',
    ownerId: 'owner_id',
    site: 'site',
    statuses: 'status',
  },
  few: ({ clientTransactionId: id }) => (id === undefined ? undefined : [[oneOf('client_transaction_id', [id])]]),
  toValue: (row) => toAgreement(row.state_json),
}

/** Reads with one statement, and so from one snapshot. */
async function agreementSnapshot(db: Db, id: string): ReturnType<AgreementStore['snapshot']> {
  const row = await db
    .selectFrom('agreements')
    .innerJoin('log_head', (join) => join.on('log_head.id', '=', 1))
    .select(['log_head.position as head', 'agreements.state_json'])
    .where('agreements.id', '=', id)
    .executeTakeFirst()
  return row === undefined ? null : { agreement: toAgreement(row.state_json), head: row.head }
}

/** Creates the queries of payouts and their payees. `lists` reads outside the event loop where the database can. */
export function createPayoutStore(reader: Db, lists: Db): PayoutStore {
  const rowsOf = lookUp(reader, (ids) =>
    reader.selectFrom('payout_records').select('state_json').where('id', 'in', ids),
  )
  return {
    byIds: async (ids) => (await rowsOf(ids)).map((row) => toPayout(row.state_json)),
    payees: (ids) => payeesOf(reader, ids),
    ...listStore(lists, payoutList),
    snapshot: (id) => payoutSnapshot(reader, id),
  }
}

async function payeesOf(db: Db, ids: readonly string[]): Promise<Map<string, readonly PayoutPayee[]>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('payout_payees')
    .selectAll()
    .where('payout_id', 'in', ids)
    .where('erased', '=', 0)
    .execute()
  return new Map(rows.map(PAYOUT_PAYEES.fromRow).map(({ id, payees }) => [id, payees]))
}

const payoutList: List<StateRow, Payout> = {
  table: 'payout_records',
  columns: sql`state_json`,
  compared: {
    ids: 'id',
    reference: 'reference',
    methodCode: 'method_code',
    currency: 'currency',
    site: 'site',
    statuses: 'status',
    amount: 'amount',
  },
  few: ({ reference }) => (reference === undefined ? undefined : [[oneOf('reference', [reference])]]),
  checked: () => [sql`currency is not null and amount is not null`],
  toValue: (row) => toPayout(row.state_json),
}

/** Reads with one statement, and so from one snapshot. */
async function payoutSnapshot(db: Db, id: string): ReturnType<PayoutStore['snapshot']> {
  const row = await db
    .selectFrom('payout_records')
    .innerJoin('log_head', (join) => join.on('log_head.id', '=', 1))
    .select(['log_head.position as head', 'payout_records.state_json'])
    .where('payout_records.id', '=', id)
    .executeTakeFirst()
  return row === undefined ? null : { payout: toPayout(row.state_json), head: row.head }
}

/** Creates the queries of gateway payments. `lists` reads outside the event loop where the database can. */
export function createGatewayPaymentStore(reader: Db, lists: Db): GatewayPaymentStore {
  const rowsOf = lookUp(reader, (ids) =>
    reader.selectFrom('gateway_payments').select('state_json').where('id', 'in', ids),
  )
  return {
    byIds: async (ids) => (await rowsOf(ids)).map((row) => toGatewayPayment(row.state_json)),
    ...listStore(lists, gatewayPaymentList),
    snapshot: (id) => gatewayPaymentSnapshot(reader, id),
  }
}

const gatewayPaymentList: List<StateRow, GatewayPayment> = {
  table: 'gateway_payments',
  columns: sql`state_json`,
  compared: { ids: 'id', reference: 'order_id', site: 'site', statuses: 'status' },
  few: ({ reference }) => (reference === undefined ? undefined : [[oneOf('order_id', [reference])]]),
  toValue: (row) => toGatewayPayment(row.state_json),
}

/** Reads with one statement, and so from one snapshot. */
async function gatewayPaymentSnapshot(db: Db, id: string): ReturnType<GatewayPaymentStore['snapshot']> {
  const row = await db
    .selectFrom('gateway_payments')
    .innerJoin('log_head', (join) => join.on('log_head.id', '=', 1))
    .select(['log_head.position as head', 'gateway_payments.state_json'])
    .where('gateway_payments.id', '=', id)
    .executeTakeFirst()
  return row === undefined ? null : { gatewayPayment: toGatewayPayment(row.state_json), head: row.head }
}

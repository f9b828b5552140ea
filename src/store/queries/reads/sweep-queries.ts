import { FINAL_RANK } from '../../../domain/payments/payment-report.ts'
import type { Db } from '../../group-commit.ts'
import type { Database, SweepCursor, SweepPage, SweepPart } from '../../port.ts'

/** Rows per step; one decision processes them, in one turn of the event loop. */
const SWEPT_AT_ONCE = 250

/** Creates the queries of a sweep: pages of an index for each of its parts. */
export function sweepQueries(reader: Db): Database['sweep'] {
  const state = async () => {
    const { sweep_from: from, sweep_cursor: cursor } = await reader
      .selectFrom('meta')
      .select(['sweep_from', 'sweep_cursor'])
      .where('id', '=', 1)
      .executeTakeFirstOrThrow()
    return { from: from === null ? null : new Date(from), cursor }
  }
  return {
    state,
    pending: async () => (await state()).from,
    async page(part, { from, after }) {
      const { table, rowsAfter } = PARTS[part]
      const rows = await rowsAfter(reader, { from, after: after ?? START })
        .limit(SWEPT_AT_ONCE)
        .execute()
      const last = rows.length < SWEPT_AT_ONCE ? undefined : rows.at(-1)
      const next = last === undefined ? null : { at: last.at, number: last.number }
      return { table, ids: rows.map(({ id }) => id), next }
    },
  }
}

type Start = { readonly from: number; readonly after: SweepCursor }

const START: SweepCursor = { at: Number.MIN_SAFE_INTEGER, number: 0 }

type SweptRow = SweepCursor & { readonly id: string }

type Part = {
  readonly table: SweepPage['table']
  rowsAfter(db: Db, start: Start): { limit(count: number): { execute(): Promise<readonly SweptRow[]> } }
}

const PARTS: Readonly<Record<SweepPart, Part>> = {
  'payments-changed': { table: 'payments', rowsAfter: paymentsChanged },
  'payments-in-progress': { table: 'payments', rowsAfter: (db, start) => paymentsIn(db, 'IN_PROGRESS', start) },
  'payments-refunding': { table: 'payments', rowsAfter: (db, start) => paymentsIn(db, 'REFUNDING', start) },
  'payments-disputed': { table: 'payments', rowsAfter: (db, start) => paymentsIn(db, 'DISPUTED', start) },
  'links-open': { table: 'links', rowsAfter: linksOpen },
  'agreements-changed': { table: 'agreements', rowsAfter: agreementsChanged },
  'agreements-created': { table: 'agreements', rowsAfter: agreementsCreated },
  'payouts-planned': { table: 'payouts', rowsAfter: payoutsPlanned },
}

/** Returns the exclusive start of the next page in an index by an instant and the row's number. */
function keyOf({ from, after }: Start) {
  return { at: Math.max(from, after.at), number: after.at < from ? 0 : after.number }
}

/** The condition of the partial index is a literal, because with a parameter the planner would not use the index. */
function paymentsChanged(db: Db, start: Start) {
  const { at, number } = keyOf(start)
  return db
    .selectFrom('payments')
    .select(['id', 'updated_at as at', 'number'])
    .where((eb) => eb('rank', '<', eb.lit(FINAL_RANK)))
    .where('updated_at', '>=', at)
    .where((eb) => eb.or([eb('updated_at', '>', at), eb('number', '>', number)]))
    .orderBy('updated_at')
    .orderBy('number')
}

function paymentsIn(db: Db, phase: 'IN_PROGRESS' | 'REFUNDING' | 'DISPUTED', { after }: Start) {
  return db
    .selectFrom('payments')
    .select(['id', 'number', 'number as at'])
    .where('phase', '=', phase)
    .where('rank', '<', FINAL_RANK)
    .where('number', '>', after.number)
    .orderBy('number')
}

function linksOpen(db: Db, start: Start) {
  const { at, number } = keyOf(start)
  return db
    .selectFrom('links')
    .select(['id', 'expires_at as at', 'number'])
    .where('payment_id', 'is', null)
    .where((eb) => eb('expired', '=', eb.lit(0)))
    .where('expires_at', '>=', at)
    .where((eb) => eb.or([eb('expires_at', '>', at), eb('number', '>', number)]))
    .orderBy('expires_at')
    .orderBy('number')
}

function agreementsChanged(db: Db, start: Start) {
  const { at, number } = keyOf(start)
  return db
    .selectFrom('agreements')
    .select(['id', 'updated_at as at', 'number'])
    .where('updated_at', '>=', at)
    .where((eb) => eb.or([eb('updated_at', '>', at), eb('number', '>', number)]))
    .orderBy('updated_at')
    .orderBy('number')
}

/** Agreements in status `created`: their payers have to act next. */
function agreementsCreated(db: Db, { after }: Start) {
  return db
    .selectFrom('agreements')
    .select(['id', 'number', 'number as at'])
    .where('status', '=', 'created')
    .where('number', '>', after.number)
    .orderBy('number')
}

/** Payouts of which a read is planned: all that are not at their end. */
function payoutsPlanned(db: Db, { after }: Start) {
  return db
    .selectFrom('payout_records')
    .select(['id', 'number', 'number as at'])
    .where('read_due_at', 'is not', null)
    .where('number', '>', after.number)
    .orderBy('number')
}

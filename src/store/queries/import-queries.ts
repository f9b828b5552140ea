import { type Expression, type SqlBool, sql } from 'kysely'
import { comparedSince, type ComparedDays } from '../../domain/imports/compared-days.ts'
import { firstPlaces, type PaymentImport } from '../../domain/imports/import-plan.ts'
import { emptyReport } from '../../domain/imports/import-report.ts'
import { type ImportedList } from '../../domain/imports/imported-lists.ts'
import type { Db, GroupCommit } from '../group-commit.ts'
import type { AbsentObjects, AbsentQuery, BegunImport, NewImport } from '../import-store.ts'
import type { Database } from '../port.ts'
import { toPayment } from '../rows/payment-rows.ts'
import { entryPrefix, PAYMENT_IMPORTS } from '../rows/upkeep-rows.ts'
import { newestFirst, unplaced } from './read-page.ts'

/** Imports that may run at a time; they are worked on one after the other. */
const MOST_RUNNING = 20
/** Imports of persons that are kept. */
const MOST_KEPT = 1_000
/** Rows of one query, and of one transaction. */
const AT_ONCE = 250

/** Creates the queries of imports, and the transactions that record nothing else. */
export function importQueries(reader: Db, lists: Db, exclusively: GroupCommit['exclusively']): Database['imports'] {
  return {
    begin: (request) => exclusively(({ db }) => begin(db, request)),
    comparedDays: (now) => comparedDays(reader, now.getTime()),
    running: async () => (await runningOf(reader)).toSorted((a, b) => a.number - b.number),
    async byNumber(number) {
      const row = await reader.selectFrom('payment_imports').selectAll().where('number', '=', number).executeTakeFirst()
      return row === undefined ? null : PAYMENT_IMPORTS.fromRow(row)
    },
    page: async (page, { daily, from }) => {
      const checked = [
        ...(daily === undefined ? [] : [sql<SqlBool>`daily = ${daily ? 1 : 0}`]),
        ...(from === undefined ? [] : [sql<SqlBool>`from_at = ${from}`]),
      ]
      return unplaced(
        await newestFirst(reader, { table: 'payment_imports', page, checked, toValue: PAYMENT_IMPORTS.fromRow }),
      )
    },
    absent: (query) => absentObjects(lists, query),
    clear: (number, at) => exclusively(({ db }) => clear(db, number, at.getTime())),
  }
}

async function runningOf(db: Db): Promise<PaymentImport[]> {
  return (await db.selectFrom('payment_imports').selectAll().where('done_at', 'is', null).execute()).map(
    PAYMENT_IMPORTS.fromRow,
  )
}

async function begin(db: Db, request: NewImport): Promise<BegunImport> {
  const { plan, dryRun, daily, requestedBy, requestedAt } = request
  const running = await runningOf(db)
  const same = running.find((other) => isSame(other, request))
  if (same !== undefined) return { kind: 'running', import: same }
  if (running.length >= MOST_RUNNING) return { kind: 'too-many' }
  const row = await db
    .insertInto('payment_imports')
    .values({
      from_at: plan.from,
      to_at: plan.to,
      dry_run: dryRun ? 1 : 0,
      daily: daily ? 1 : 0,
      requested_by: requestedBy,
      requested_at: requestedAt.getTime(),
      parts_json: JSON.stringify(plan.parts),
      places_json: JSON.stringify(firstPlaces(plan)),
      reports_json: JSON.stringify(plan.parts.map(emptyReport)),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return { kind: 'begun', import: PAYMENT_IMPORTS.fromRow(row) }
}

function isSame(running: PaymentImport, { plan, dryRun, daily }: NewImport): boolean {
  const isSamePlan = daily ? running.plan.from === plan.from : JSON.stringify(running.plan) === JSON.stringify(plan)
  return isSamePlan && running.dryRun === dryRun && running.daily === daily
}

/** The instants of a clock that has been set back since do not count. */
async function comparedDays(db: Db, now: number): Promise<ComparedDays> {
  const firsts = await Promise.all(
    (['payments', 'links'] as const).map((table) =>
      db.selectFrom(table).select('created_at').orderBy('number').limit(1).executeTakeFirst(),
    ),
  )
  const instants = firsts.flatMap((row) => (row === undefined ? [] : row.created_at))
  const days = await db
    .selectFrom('payment_imports')
    .select(({ fn }) => ['from_at', fn.max('requested_at').as('at')])
    .where((eb) => eb('daily', '=', eb.lit(1)))
    .where('from_at', '>=', comparedSince(now))
    .where('requested_at', '<=', now)
    .groupBy('from_at')
    .execute()
  return {
    since: instants.length === 0 ? null : Math.min(...instants),
    comparedAt: new Map(days.map(({ from_at: day, at }) => [day, at])),
  }
}

/** The keys of an import are those that begin with its number: the character after the slash is a zero. */
async function clear(db: Db, number: number, at: number): Promise<boolean> {
  const some = db
    .selectFrom('payment_import_entries')
    .select('key')
    .where('key', '>=', `${number}/`)
    .where('key', '<', `${number}0`)
    .limit(AT_ONCE)
  const keys = (await some.execute()).map(({ key }) => key)
  if (keys.length > 0) await db.deleteFrom('payment_import_entries').where('key', 'in', keys).execute()
  if (keys.length === AT_ONCE) return false
  await db.updateTable('payment_imports').set({ done_at: at }).where('number', '=', number).execute()
  await db
    .deleteFrom('payment_imports')
    .where('done_at', 'is not', null)
    .where((eb) =>
      eb.or([
        eb.and([eb('daily', '=', 0), eb('number', '<=', number - MOST_KEPT)]),
        eb.and([eb('daily', '=', 1), eb('from_at', '<', comparedSince(at))]),
      ]),
    )
    .execute()
  return true
}

async function absentObjects(db: Db, query: AbsentQuery): Promise<AbsentObjects> {
  const { list } = query.part
  if (list === 'AGREEMENTS') return { objects: [], next: null }
  const found = await ABSENT[list](db, query)
  const last = found.length < AT_ONCE ? undefined : found.at(-1)
  return { objects: found.map(toAbsent), next: last === undefined ? null : { at: last.at, id: last.id } }
}

type AbsentRow = {
  readonly id: string
  readonly at: number
  readonly state_json?: string | null | undefined
  readonly currency?: string | null
  readonly amount?: string | null
}

/** A link without a payment has no amounts that were paid or are to be paid. */
function toAbsent({
  id,
  state_json: state,
  currency = null,
  amount = null,
}: AbsentRow): AbsentObjects['objects'][number] {
  if (state == null) return { id, ours: currency === null ? null : { currency, amount, paid: null, refunded: null } }
  const { details } = toPayment(state)
  return {
    id,
    ours: { currency: details.currency, amount: details.amount, paid: details.paid, refunded: details.refunded },
  }
}

const ABSENT: Readonly<
  Record<Exclude<ImportedList, 'AGREEMENTS'>, (db: Db, query: AbsentQuery) => Promise<readonly AbsentRow[]>>
> = {
  LINKS: (db, query) =>
    db
      .selectFrom('links')
      .leftJoin('payments', 'payments.id', 'links.payment_id')
      .select(['links.id', 'links.created_at as at', 'payments.state_json'])
      .where(isAbsent(query, { site: sql`links.site`, at: sql`links.created_at`, id: sql`links.id` }))
      .orderBy('links.created_at')
      .orderBy('links.id')
      .limit(AT_ONCE)
      .execute(),
  PAYINS: (db, query) =>
    db
      .selectFrom('payins')
      .leftJoin('payments', 'payments.id', 'payins.payment_id')
      .select(['payins.payment_id as id', 'payins.created_at as at', 'payments.state_json'])
      .where(isAbsent(query, { site: sql`payins.site`, at: sql`payins.created_at`, id: sql`payins.payment_id` }))
      .orderBy('payins.created_at')
      .orderBy('payins.payment_id')
      .limit(AT_ONCE)
      .execute(),
  PAYOUTS: (db, query) =>
    db
      .selectFrom('payout_records')
      .select(['id', 'created_at as at', 'currency', 'amount'])
      .where(isAbsent(query, { site: sql`site`, at: sql`created_at`, id: sql`id` }))
      .orderBy('created_at')
      .orderBy('id')
      .limit(AT_ONCE)
      .execute(),
}

type Columns = Readonly<Record<'site' | 'at' | 'id', Expression<unknown>>>

/** Created at the site within the interval, behind the place of the import, and not seen in the list. */
function isAbsent({ number, part, place, from, to }: AbsentQuery, { site, at, id }: Columns) {
  const { after } = place
  const isBehind =
    after === null ? sql`${at} >= ${from}` : sql`${at} >= ${after.at} AND (${at}, ${id}) > (${after.at}, ${after.id})`
  const isSeen = sql`SELECT 1 FROM payment_import_entries WHERE key = ${entryPrefix(number, place.part)} || ${id}`
  return sql<SqlBool>`${site} = ${part.site} AND ${isBehind} AND ${at} <= ${to} AND NOT EXISTS (${isSeen})`
}

import { type Expression, sql, type SqlBool } from 'kysely'
import { NOTHING_REPLAYED } from '../../../domain/bulk-replay.ts'
import type { Db, GroupCommit } from '../../group-commit.ts'
import type { BegunReplay, DeliveriesReplay, NewReplay, ReplayQueries } from '../../replay-store.ts'
import { toDelivery } from '../../rows/log-rows.ts'
import { DELIVERY_REPLAYS } from '../../rows/upkeep-rows.ts'
import { LOOKED_AT, newestFirst, unplaced } from '../read-page.ts'
import { deliveryChecks } from './inbox.ts'

/** Replays that may run at a time. */
const MOST_RUNNING = 20
const MOST_KEPT = 1_000
/** Deliveries of one query. */
const AT_ONCE = 100

/** Creates the queries of replays, and the transactions that record nothing else. */
export function replayQueries(reader: Db, lists: Db, exclusively: GroupCommit['exclusively']): ReplayQueries {
  return {
    begin: (request) => exclusively(({ db }) => begin(db, request)),
    running: async () => (await runningOf(reader)).toSorted((a, b) => a.number - b.number),
    async byNumber(number) {
      const row = await reader
        .selectFrom('delivery_replays')
        .selectAll()
        .where('number', '=', number)
        .executeTakeFirst()
      return row === undefined ? null : DELIVERY_REPLAYS.fromRow(row)
    },
    page: async (page) =>
      unplaced(
        await newestFirst(reader, { table: 'delivery_replays', page, checked: [], toValue: DELIVERY_REPLAYS.fromRow }),
      ),
    next: (replay) => nextDeliveries(lists, replay),
  }
}

async function runningOf(db: Db): Promise<DeliveriesReplay[]> {
  return (await db.selectFrom('delivery_replays').selectAll().where('done_at', 'is', null).execute()).map(
    DELIVERY_REPLAYS.fromRow,
  )
}

async function begin(db: Db, { filter, dryRun, requestedBy, requestedAt }: NewReplay): Promise<BegunReplay> {
  const running = await runningOf(db)
  const terms = JSON.stringify(filter)
  const same = running.find((other) => other.dryRun === dryRun && JSON.stringify(other.filter) === terms)
  if (same !== undefined) return { kind: 'running', replay: same }
  if (running.length >= MOST_RUNNING) return { kind: 'too-many' }
  const { last } = await db
    .selectFrom('deliveries')
    .select(({ fn }) => fn.max('number').as('last'))
    .executeTakeFirstOrThrow()
  const row = await db
    .insertInto('delivery_replays')
    .values({
      filter_json: terms,
      dry_run: dryRun ? 1 : 0,
      requested_by: requestedBy,
      requested_at: requestedAt.getTime(),
      place: 0,
      // Null without a delivery.
      last: last ?? 0,
      report_json: JSON.stringify(NOTHING_REPLAYED),
      cancelled: 0,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  const replay = DELIVERY_REPLAYS.fromRow(row)
  await db
    .deleteFrom('delivery_replays')
    .where('done_at', 'is not', null)
    .where('number', '<=', replay.number - MOST_KEPT)
    .execute()
  return { kind: 'begun', replay }
}

/** Looks at a bounded part of the table, in its order, which is that of receipt. */
async function nextDeliveries(db: Db, { filter, place, last }: DeliveriesReplay) {
  const end = Math.min(place + LOOKED_AT, last)
  const checks = await deliveryChecks(db, filter)
  if (checks === null) return { deliveries: [], place: last }
  const conditions: Expression<SqlBool>[] = [sql`number > ${place}`, sql`number <= ${end}`, ...checks]
  const rows = await db
    .selectFrom('deliveries as looked')
    .selectAll()
    .where((eb) => eb.and(conditions))
    .orderBy('number')
    .limit(AT_ONCE)
    .execute()
  const found = rows.map(toDelivery)
  return { deliveries: found, place: found.length < AT_ONCE ? end : (found.at(-1)?.number ?? end) }
}

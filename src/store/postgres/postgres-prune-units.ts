import { sql } from 'kysely'
import type { GroupCommit } from '../group-commit.ts'
import { type PruneUnits, startOfMonth } from '../retention/prune-units.ts'
import type { PrunedKind } from '../retention/retention-store.ts'
import type { Db } from '../unit.ts'

/** Months that have a partition ahead of time, besides the current one. */
const AHEAD = 3
/** Milliseconds. Dropping a partition needs a lock for which the statements of all nodes wait. */
const DROP_LOCK_MS = 500

/** The column by which each table is partitioned, its primary key, and the unique keys of a partition. */
const TABLES = {
  events: { by: 'recorded_at', place: 'position', keys: 'PRIMARY KEY (position), UNIQUE (stream_id, sequence)' },
  deliveries: { by: 'first_received_at', place: 'number', keys: 'PRIMARY KEY (number), UNIQUE (id)' },
} as const

type Partition = { readonly name: string; readonly until: number }

/** Creates the units of PostgreSQL: monthly partitions. Dropping one costs no reads, no writes and no vacuum. */
export function postgresPruneUnits(reader: Db, exclusively: GroupCommit['exclusively']): PruneUnits {
  return {
    async prepare(now) {
      for (const kind of ['events', 'deliveries'] as const) {
        if (monthsWithout(await partitionsOf(reader, kind), now).length === 0) continue
        await exclusively(async ({ db }) => {
          // Queried again: another node may have created them before this transaction began.
          for (const from of monthsWithout(await partitionsOf(db, kind), now)) await createPartition(db, kind, from)
        })
      }
    },
    async due(kind, before) {
      const [oldest] = await partitionsOf(reader, kind)
      return oldest === undefined || oldest.until > before.getTime()
        ? null
        : { kind, until: oldest.until, table: oldest.name }
    },
    remove: async () => {},
    async removeUnit(db, { kind, table }, last) {
      await sql.raw(`SET LOCAL lock_timeout = ${DROP_LOCK_MS}`).execute(db)
      const { place } = TABLES[kind]
      const { rows } = await sql`SELECT 1 FROM ${sql.table(table)} WHERE ${sql.ref(place)} > ${last} LIMIT 1`.execute(
        db,
      )
      if (rows.length > 0) throw new Error(`${table} has rows that are not archived.`)
      await sql`DROP TABLE ${sql.table(table)}`.execute(db)
    },
  }
}

/** Returns the partitions with a bound, oldest first. */
async function partitionsOf(db: Db, kind: PrunedKind): Promise<Partition[]> {
  const { rows } = await sql<{ name: string; bounds: string }>`
    SELECT child.relname AS name, pg_get_expr(child.relpartbound, child.oid) AS bounds
    FROM pg_inherits JOIN pg_class AS child ON child.oid = inhrelid
    WHERE inhparent = ${kind}::regclass`.execute(db)
  return rows
    .flatMap(({ name, bounds }) => {
      const until = /TO \('?(\d+)'?\)/.exec(bounds)?.[1]
      return until === undefined ? [] : [{ name, until: Number(until) }]
    })
    .toSorted((one, other) => one.until - other.until)
}

/** Returns the starts of the months from now on that have no partition. */
function monthsWithout(partitions: readonly Partition[], now: Date): number[] {
  const end = partitions.at(-1)?.until ?? 0
  return Array.from({ length: AHEAD + 1 }, (_, months) => startOfMonth(now.getTime(), months)).filter(
    (from) => from >= end,
  )
}

/** Creates the partition of a month, unless rows of this month are in the default partition. */
async function createPartition(db: Db, kind: PrunedKind, from: number): Promise<void> {
  const { by, keys } = TABLES[kind]
  const until = startOfMonth(from, 1)
  const misplaced = await sql`
    SELECT 1 FROM ${sql.table(`${kind}_other`)} WHERE ${sql.ref(by)} >= ${from} AND ${sql.ref(by)} < ${until} LIMIT 1`.execute(
    db,
  )
  if (misplaced.rows.length > 0) return
  const name = `${kind}_${new Date(from).toISOString().slice(0, 7).replace('-', '_')}`
  await sql.raw(`CREATE TABLE ${name} (LIKE ${kind} INCLUDING DEFAULTS, ${keys})`).execute(db)
  if (kind === 'deliveries')
    await sql.raw(`CREATE UNIQUE INDEX ON ${name} (body_hash) WHERE body_hash IS NOT NULL`).execute(db)
  // Unlike CREATE TABLE … PARTITION OF, this does not block statements on the table.
  await sql.raw(`ALTER TABLE ${kind} ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${until})`).execute(db)
}

import { sql } from 'kysely'
import type { Db } from '../decide.ts'
import type { GroupCommit } from '../group-commit.ts'
import { PRUNED_BY, type PruneUnits, rowUnits, startOfMonth, type PrunedKind } from '../retention/retention-store.ts'

/** Months that have a partition ahead of time, besides the current one. */
const AHEAD = 3
/** Milliseconds. Dropping a partition needs a lock for which the statements of all nodes wait. */
const DROP_LOCK_MS = 500

/** The unique keys of a partition of each partitioned table. */
const KEYS = {
  events: 'PRIMARY KEY (position), UNIQUE (stream_id, sequence)',
  deliveries: 'PRIMARY KEY (number), UNIQUE (id)',
} as const

type Partitioned = keyof typeof KEYS

function isPartitioned(kind: PrunedKind): kind is Partitioned {
  return kind in KEYS
}

type Partition = { readonly name: string; readonly until: number }

/**
 * Creates the units of PostgreSQL: monthly partitions. Dropping one costs no reads, no writes and no vacuum. The events of payouts and
 * gateway payments, which are few, have none.
 */
export function postgresPruneUnits(reader: Db, exclusively: GroupCommit['exclusively']): PruneUnits {
  const units = rowUnits(reader)
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
      if (!isPartitioned(kind)) return units.due(kind, before)
      const [oldest] = await partitionsOf(reader, kind)
      return oldest === undefined || oldest.until > before.getTime()
        ? null
        : { kind, until: oldest.until, table: oldest.name }
    },
    async remove(db, unit, upTo) {
      if (!isPartitioned(unit.kind)) await units.remove(db, unit, upTo)
    },
    async removeUnit(db, { kind, table }, last) {
      if (!isPartitioned(kind)) return
      await sql.raw(`SET LOCAL lock_timeout = ${DROP_LOCK_MS}`).execute(db)
      const { place } = PRUNED_BY[kind]
      const { rows } = await sql`SELECT 1 FROM ${sql.table(table)} WHERE ${sql.ref(place)} > ${last} LIMIT 1`.execute(
        db,
      )
      if (rows.length > 0) throw new Error(`${table} has rows that are not archived.`)
      await sql`DROP TABLE ${sql.table(table)}`.execute(db)
    },
  }
}

/** Returns the partitions with a bound, oldest first. */
async function partitionsOf(db: Db, kind: Partitioned): Promise<Partition[]> {
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
async function createPartition(db: Db, kind: Partitioned, from: number): Promise<void> {
  const { by } = PRUNED_BY[kind]
  const until = startOfMonth(from, 1)
  const misplaced = await sql`
    SELECT 1 FROM ${sql.table(`${kind}_other`)} WHERE ${sql.ref(by)} >= ${from} AND ${sql.ref(by)} < ${until} LIMIT 1`.execute(
    db,
  )
  if (misplaced.rows.length > 0) return
  const name = `${kind}_${new Date(from).toISOString().slice(0, 7).replace('-', '_')}`
  await sql.raw(`CREATE TABLE ${name} (LIKE ${kind} INCLUDING DEFAULTS, ${KEYS[kind]})`).execute(db)
  if (kind === 'deliveries')
    await sql.raw(`CREATE UNIQUE INDEX ON ${name} (body_hash) WHERE body_hash IS NOT NULL`).execute(db)
  // Unlike CREATE TABLE … PARTITION OF, this does not block statements on the table.
  await sql.raw(`ALTER TABLE ${kind} ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${until})`).execute(db)
}

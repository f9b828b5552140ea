import { createListeners, type LogBranches } from '../create-database.ts'
import { WRITERS_LOCK } from './migration-lock.ts'
import type { PostgresConnection } from './postgres-connection.ts'
import { isDenied } from './postgres-failure.ts'

/**
 * The branches of the log: it branches when it goes on on another server or in restored tables, since the commits that were made after the
 * backup, or that a standby had not received, are missing there.
 */
export type ServerBranches = LogBranches & {
  /** Records a branch if a new connection leads to another server, or to other tables, than before. Called before the connection is used. */
  check(connection: PostgresConnection): Promise<void>
}

/**
 * The server and the database: another cluster has another system identifier, each restore to a point in time and each promotion of a
 * standby begins a timeline (the first eight digits of the names of its WAL files), and a dump is restored into a database of its own.
 */
const SERVER = `(SELECT system_identifier FROM pg_control_system()) || ' ' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
  || ' ' || (SELECT oid FROM pg_database WHERE datname = current_database())`

/** The table itself: `pg_restore --clean` and a restored schema create it anew, also in the same database. */
const HEAD_TABLE = `'log_head'::regclass::oid::text`

const BRANCHES = `SELECT number, after_position, server = ${SERVER} AND head_table = ${HEAD_TABLE} AS here FROM log_branches ORDER BY number`

/** One transaction that excludes writers: nothing may be appended to a branch that is not recorded. */
const RECORD = `
  BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
  SELECT pg_advisory_xact_lock(${WRITERS_LOCK});
  UPDATE log_branches SET head_table = ${HEAD_TABLE}
    WHERE head_table IS NULL AND server = ${SERVER} AND number = (SELECT max(number) FROM log_branches);
  INSERT INTO log_branches (number, server, head_table, after_position)
    SELECT (SELECT count(*) FROM log_branches), ${SERVER}, ${HEAD_TABLE}, position FROM log_head
    WHERE (SELECT server || ' ' || head_table FROM log_branches ORDER BY number DESC LIMIT 1)
      IS DISTINCT FROM ${SERVER} || ' ' || ${HEAD_TABLE};
  COMMIT`

export function createLogBranches(): ServerBranches {
  let positions: readonly number[] = []
  const branched = createListeners<number>()
  return {
    positions: () => positions,
    onBranch: branched.add,
    async check(connection) {
      const rows = await branchesOf(connection)
      if (rows.length === 0) return
      const before = positions
      positions = rows.slice(1).map((row) => Number(row['after_position']))
      const last = lastCommon(before, positions)
      if (last !== null) branched.notify(last)
    },
  }
}

/** Returns the position up to which a log with some branches, and one with others, are the same; null if all branches are. */
function lastCommon(before: readonly number[], after: readonly number[]): number | null {
  const [shorter, longer] = before.length < after.length ? [before, after] : [after, before]
  const first = longer.findIndex((last, branch) => last !== shorter[branch])
  return first === -1 ? null : Math.min(...before.slice(first), ...after.slice(first))
}

/** Returns the branches, of which the last is that of this server; none if the user may not know which server it is. */
async function branchesOf(connection: PostgresConnection): Promise<readonly Record<string, unknown>[]> {
  try {
    const { rows } = await connection.run(BRANCHES)
    if (rows.at(-1)?.['here'] === true) return rows
  } catch (error) {
    if (isDenied(error)) return []
    throw error
  }
  await connection.run(RECORD)
  return (await connection.run(BRANCHES)).rows
}

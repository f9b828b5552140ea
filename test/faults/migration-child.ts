import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { parseMigration, readMigrations } from '../../src/store/migrate.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'

/**
 * Opens a database and kills itself with SIGKILL before the n-th statement that changes the database; without a number it ends normally and
 * prints the number of such statements. Arguments: the path of the database, the text of a further migration, and the number.
 */
const [path = '', next = '', cut] = process.argv.slice(2)
let count = 0

function step(): void {
  if (String(count) === cut) process.kill(process.pid, 'SIGKILL')
  count += 1
}

/** Runs a script statement by statement, as SQLite does: in the migrations each statement ends with a semicolon at the end of a line. */
class CountingDatabase extends DatabaseSync {
  override exec(sql: string): void {
    for (const statement of sql.split(/;$/m)) {
      if (statement.trim() === '') continue
      step()
      super.exec(statement)
    }
  }

  override prepare(...parameters: Parameters<DatabaseSync['prepare']>): StatementSync {
    if (/^(INSERT|UPDATE)/i.test(parameters[0])) step()
    return super.prepare(...parameters)
  }
}

const store = await openSqlite({
  path,
  migrations: [...readMigrations('sqlite'), parseMigration('9001-next.sql', next)],
  connect: (file) => new CountingDatabase(file),
  clock: () => new Date(0),
})
const opening = count
await store.close()
process.stdout.write(String(opening))

import type { Transaction } from '../decide.ts'
import type { AsyncTransactionSteps } from '../group-commit.ts'
import { StoreFailure } from '../store-errors.ts'
import { WRITERS_LOCK } from './migration-lock.ts'
import {
  assertStillUsable,
  connect,
  type ConnectionConfig,
  LIMITS,
  type OnConnected,
  type OwnConnection,
} from './postgres-connection.ts'
import { PLANNING } from './postgres-reader.ts'
import { limitSettings, setForTransaction } from './postgres-session.ts'
import { postgresTransaction } from './postgres-transaction.ts'

export type PostgresWriter = {
  readonly steps: AsyncTransactionSteps
  /** Statements of the open transaction. */
  readonly transaction: Transaction
  close(): void
}

/**
 * Only one node writes at a time, as on SQLite: each transaction waits for one lock before its first statement and holds it to its end.
 * Under READ COMMITTED every statement sees what was committed before it began. So a decision sees all earlier writes of all nodes, and two
 * nodes can neither lose an update nor both create the same row. This costs little, because every append would wait for the row of the
 * log's head anyway.
 *
 * The isolation level is explicit, because the server's default may differ: REPEATABLE READ would take its snapshot before it waits. The
 * timeouts apply to the transaction only, because a pooler may assign another session to the next one.
 */
const BEGIN = [
  'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE',
  setForTransaction([...limitSettings(LIMITS), ...PLANNING]),
  `SELECT pg_advisory_xact_lock(${WRITERS_LOCK})`,
].join('; ')

/** Creates the writer, with the only connection of this process that writes. It is opened on first use, and again after it was lost. */
export function createWriter(config: ConnectionConfig, onConnected: OnConnected): PostgresWriter {
  let open: OwnConnection | null = null

  const discard = (): void => {
    // Not awaited, because a server that hangs does not answer.
    void open?.end().catch(() => {})
    open = null
  }
  const usable = async (): Promise<OwnConnection> => {
    if (open?.broken === true) discard()
    if (open !== null) return open
    open = await connect(config)
    try {
      await assertStillUsable(open)
      await onConnected(open)
      return open
    } catch (error) {
      discard()
      throw error
    }
  }
  const current = (): OwnConnection => {
    if (open === null) throw new StoreFailure('DOWN', null)
    return open
  }

  return {
    transaction: postgresTransaction(current),
    steps: {
      async begin() {
        await (await usable()).run(BEGIN)
      },
      async commit() {
        // After an error in the transaction, COMMIT succeeds but rolls back: its command is then ROLLBACK.
        const { command } = await current().run('COMMIT')
        if (command !== 'COMMIT') throw new StoreFailure('OTHER', null)
      },
      async rollback() {
        // A lost connection is closed at once, because the server holds the lock while it is open.
        if (open?.broken === true) discard()
        try {
          await open?.run('ROLLBACK')
        } catch {
          discard()
        }
      },
    },
    close: discard,
  }
}

import type { Transaction } from '../decide.ts'
import type { AsyncTransactionSteps } from '../group-commit.ts'
import { StoreFailure } from '../store-errors.ts'
import { WRITERS_LOCK } from './locks.ts'
import { assertStillUsable, connect, type ConnectionConfig, LIMITS } from './postgres-connection.ts'
import { PLANNING } from './postgres-reader.ts'
import { limitSettings, setForTransaction } from './postgres-session.ts'
import { postgresTransaction } from './postgres-transaction.ts'

export type PostgresWriter = {
  readonly steps: AsyncTransactionSteps
  /** Statements of the transaction that has begun. */
  readonly transaction: Transaction
  close(): void
}

/**
 * One writer at a time in the whole cluster, as on SQLite: each transaction waits for one lock before its first statement
 * and keeps it to its end. Under READ COMMITTED every statement sees what was committed before it began, so that a decision sees
 * all that earlier ones of any node have done, and two nodes can neither lose an update nor both be the first. That costs
 * little, since every append would wait for the row of the next position anyway.
 *
 * The isolation is named, since a server may be set to another: REPEATABLE READ would look at the database before it waits.
 * The limits hold for the transaction alone, since a pooler may give the next one another session.
 */
const BEGIN = [
  'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE',
  setForTransaction([...limitSettings(LIMITS), ...PLANNING]),
  `SELECT pg_advisory_xact_lock(${WRITERS_LOCK})`,
].join('; ')

type Open = Awaited<ReturnType<typeof connect>>

/** The one connection of this process that writes. It is opened when it is needed, and anew after it was lost. */
export function createWriter(config: ConnectionConfig): PostgresWriter {
  let open: Open | null = null

  const discard = (): void => {
    // Not awaited: a server that hangs does not answer.
    void open?.end().catch(() => {})
    open = null
  }
  const usable = async (): Promise<Open> => {
    if (open?.broken === true) discard()
    if (open !== null) return open
    open = await connect(config)
    try {
      await assertStillUsable(open)
      return open
    } catch (error) {
      discard()
      throw error
    }
  }
  const current = (): Open => {
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
        // A transaction that an earlier error has ended answers a COMMIT without an error, by undoing everything.
        const { command } = await current().run('COMMIT')
        if (command !== 'COMMIT') throw new StoreFailure('OTHER', null)
      },
      async rollback() {
        // A lost connection is closed at once: the server keeps the lock for as long as it is open.
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

import { setTimeout as sleep } from 'node:timers/promises'
import { StoreFailure } from '../store-errors.ts'
import type { PostgresConnection } from './postgres-connection.ts'
import { limitSettings, setForTransaction } from './postgres-session.ts'

/**
 * Milliseconds. While a statement waits for an exclusive lock on a table, all later statements on that table wait behind it: a second
 * is less than their own timeout. A statement itself has no timeout, because its time grows with its table.
 */
const LIMITS = { lock: 1000, statement: 0 }
const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; ${setForTransaction(limitSettings(LIMITS))}`

/** In milliseconds: the pauses between attempts double from the first to the longest. */
const PAUSES = { first: 500, longest: 30_000, total: 600_000 }

/** Runs a function in a transaction with the timeouts of a migration. Returns its result. */
export async function inTransaction<Result>(
  connection: PostgresConnection,
  run: () => Promise<Result>,
): Promise<Result> {
  await connection.run(BEGIN)
  try {
    const result = await run()
    await connection.run('COMMIT')
    return result
  } catch (error) {
    await connection.run('ROLLBACK').catch(() => {})
    throw error
  }
}

/** Repeats a function while it fails because of a lock, a timeout or a deadlock; for ten minutes in all. */
export type Retry = <Result>(run: () => Promise<Result>) => Promise<Result>

/** Creates a retry function; `onWait` is called before each pause. */
export function createRetry(onWait: () => void = () => {}): Retry {
  return async (run) => {
    for (let pause = PAUSES.first, waited = 0; ; pause = Math.min(2 * pause, PAUSES.longest)) {
      try {
        return await run()
      } catch (error) {
        const isBusy = error instanceof StoreFailure && error.reason === 'BUSY'
        if (!isBusy || waited >= PAUSES.total) throw error
      }
      onWait()
      await sleep(pause)
      waited += pause
    }
  }
}

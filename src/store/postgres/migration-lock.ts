import { setTimeout as sleep } from 'node:timers/promises'
import type { OwnConnection } from './postgres-connection.ts'
import { limitSettings, setForTransaction } from './postgres-session.ts'

/**
 * Advisory locks of this program. Each is named by two numbers and belongs to one database. The first number identifies this program,
 * so that another program in the same database is unlikely to use the same lock.
 */
const OURS = 0x706179

/** Held by each transaction that writes, until its end. */
export const WRITERS_LOCK = `${OURS}, 1`

/** Held by the node that applies migrations. */
export const MIGRATION_LOCK = `${OURS}, 2`

/** Held by the node that applies migrations. */
export type MigrationLock = {
  /** Returns whether this node holds the lock. It can be lost with the connection that holds it. */
  isHeld(): Promise<boolean>
  /** Waits until no other node holds the lock, and takes it. */
  take(): Promise<void>
  release(): Promise<void>
}

/** Milliseconds between attempts to take the lock. */
const POLL_MS = 250
/** Milliseconds between the statements that keep the transaction from being ended as idle (`postgres-session.ts`). */
const BEAT_MS = 1000

/**
 * A transaction on a connection of its own holds the lock, because a lock of a session would outlive the client behind a pooler. Nodes
 * do not wait in the server: a statement that waits has a snapshot, and building an index concurrently waits for old snapshots. For the
 * same reason the transaction is READ COMMITTED: between its statements it has no snapshot.
 */
const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED; ${setForTransaction(limitSettings({ lock: 1000, statement: 0 }))};
  SELECT pg_try_advisory_xact_lock(${MIGRATION_LOCK}) AS taken`

/** Creates the lock; `onWait` is called once each time that another node holds it. */
export function createMigrationLock(open: () => Promise<OwnConnection>, onWait: () => void = () => {}): MigrationLock {
  let connection: OwnConnection | null = null
  let beat: NodeJS.Timeout | undefined
  const isHeld = async (): Promise<boolean> => {
    if (connection === null) return false
    try {
      await connection.run('SELECT 1')
      return true
    } catch {
      await release()
      return false
    }
  }
  const release = async (): Promise<void> => {
    clearInterval(beat)
    const held = connection
    connection = null
    await held?.run('ROLLBACK').catch(() => {})
    void held?.end().catch(() => {})
  }
  return {
    isHeld,
    async take() {
      connection = await open()
      for (let polls = 0; (await connection.run(BEGIN)).rows[0]?.['taken'] !== true; polls += 1) {
        await connection.run('ROLLBACK')
        if (polls === 0) onWait()
        await sleep(POLL_MS)
      }
      beat = setInterval(() => void isHeld(), BEAT_MS)
    },
    release,
  }
}

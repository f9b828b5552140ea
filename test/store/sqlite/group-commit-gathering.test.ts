import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AsyncTransactionSteps, createGroupCommit } from '../../../src/store/group-commit.ts'
import type { Rows } from '../../../src/store/rows/rows.ts'
import { NOT_LOADED } from '../../../src/store/rows/table.ts'
import { transactionSteps } from '../../../src/store/sqlite/sqlite-connection.ts'
import { sqliteTransaction } from '../../../src/store/sqlite/sqlite-dialect.ts'

describe('the jobs of a batch', () => {
  let database: DatabaseSync
  /** Number of rows that each commit has added. */
  let batches: number[]

  beforeEach(() => {
    database = new DatabaseSync(':memory:')
    database.exec('CREATE TABLE refund_requests (command_id TEXT PRIMARY KEY, payment_id, idempotency_key, reason)')
    batches = []
  })

  afterEach(() => {
    database.close()
  })

  function commits(steps: AsyncTransactionSteps) {
    const stored = () => Number(database.prepare('SELECT count(*) AS rows FROM refund_requests').get()?.['rows'])
    return createGroupCommit({
      steps,
      transaction: sqliteTransaction(database),
      onAppended: () => {},
      onCommitted: () => void batches.push(stored() - batches.reduce((sum, count) => sum + count, 0)),
      toFailure: (error) => error,
    })
  }

  const note = (commandId: string) => (rows: Rows) =>
    rows.refundRequests.put({ commandId, paymentId: 'P', idempotencyKey: 'k', reason: 'r' })

  it('are also those that come while its transaction waits to begin', async () => {
    const steps = transactionSteps(database)
    const asked = Promise.withResolvers<void>()
    const free = Promise.withResolvers<void>()
    const group = commits({
      ...steps,
      async begin() {
        asked.resolve()
        await free.promise
        steps.begin()
      },
    })
    const first = group.decide(note('first'))
    await asked.promise
    const others = ['second', 'third'].map((id) => group.decide(note(id)))
    free.resolve()
    await Promise.all([first, ...others])
    expect(batches).toEqual([3])
  })

  it('follow a chain of look-ups of any length; one that waits without asking for rows fails', async () => {
    const group = commits(transactionSteps(database))
    const chain = Array.from({ length: 40 }, (_, at) => group.decide(note(`${at}`)))
    await Promise.all(chain)
    const lengthFrom = (rows: Rows, at = 0): number =>
      rows.refundRequests.first('commandId', `${at}`) === null ? at : lengthFrom(rows, at + 1)
    const waiting = () => {
      // oxlint-disable-next-line typescript/only-throw-error
      throw NOT_LOADED
    }
    const [length, ended] = await Promise.allSettled([group.decide((rows) => lengthFrom(rows)), group.decide(waiting)])
    expect(length).toMatchObject({ value: 40 })
    expect(ended).toMatchObject({ status: 'rejected' })
  })
})

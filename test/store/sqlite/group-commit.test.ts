import { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  type Transaction,
  type AsyncTransactionSteps,
  createGroupCommit,
  type GroupCommitOptions,
} from '../../../src/store/group-commit.ts'
import type { Rows } from '../../../src/store/rows/rows.ts'
import { transactionSteps, toStoreFailure } from '../../../src/store/sqlite/sqlite-connection.ts'
import { sqliteTransaction } from '../../../src/store/sqlite/sqlite-dialect.ts'
import { StoreBusyError, StoreClosedError, StoreFailure } from '../../../src/store/store-errors.ts'

describe('group commit', () => {
  let database: DatabaseSync
  /** Number of rows that each commit has added. */
  let batches: number[]

  beforeEach(() => {
    database = new DatabaseSync(':memory:')
    database.exec(
      `CREATE TABLE refund_requests (command_id TEXT PRIMARY KEY CHECK (command_id NOT LIKE 'refused%'), payment_id, idempotency_key, reason)`,
    )
    batches = []
  })

  afterEach(() => {
    vi.restoreAllMocks()
    database.close()
  })

  function commits(options: Partial<GroupCommitOptions> = {}) {
    return createGroupCommit({
      steps: transactionSteps(database),
      transaction: sqliteTransaction(database),
      onAppended: () => {},
      onCommitted: () => void batches.push(notes().length - batches.reduce((sum, count) => sum + count, 0)),
      toFailure: toStoreFailure,
      ...options,
    })
  }

  function notes(): unknown[] {
    return database
      .prepare('SELECT command_id AS id FROM refund_requests ORDER BY rowid')
      .all()
      .map(({ id }) => id)
  }

  const request = (commandId: string, reason = '0') => ({ commandId, paymentId: 'P', idempotencyKey: 'k', reason })

  const note = (text: string) => (rows: Rows) => {
    if (rows.refundRequests.first('commandId', text) !== null) throw new RangeError(`${text} is noted`)
    rows.refundRequests.put(request(text))
    return text
  }

  /** Returns the steps of a transaction, one of which fails `times` times. */
  function stepsFailing(step: 'begin' | 'commit', times: number): AsyncTransactionSteps {
    const steps = transactionSteps(database)
    let left = times
    return {
      ...steps,
      async [step]() {
        if (left-- > 0) throw new Error(`no ${step}`)
        steps[step]()
      },
    }
  }

  const writeAll = (group: ReturnType<typeof commits>, texts: readonly string[]) =>
    Promise.allSettled(texts.map((text) => group.decide(note(text))))

  const statuses = (results: readonly { readonly status: string }[]) => results.map(({ status }) => status)

  it('commits the decisions that are there together, in their order, and gives each its result', async () => {
    const results = await writeAll(commits(), ['a', 'b', 'c'])
    expect(results.map((result) => result.status === 'fulfilled' && result.value)).toEqual(['a', 'b', 'c'])
    expect(notes()).toEqual(['a', 'b', 'c'])
    expect(batches).toEqual([3])
  })

  it('lets each decision see those before it, which are not stored yet', async () => {
    const group = commits()
    const count = (rows: Rows) => {
      const row = rows.refundRequests.first('commandId', 'counter')
      const next = Number(row?.reason ?? 0) + 1
      rows.refundRequests.put(request('counter', String(next)))
      return next
    }
    expect(await Promise.all(Array.from({ length: 50 }, () => group.decide(count)))).toEqual(
      Array.from({ length: 50 }, (_, index) => index + 1),
    )
    expect(database.prepare('SELECT reason FROM refund_requests').all()).toEqual([{ reason: '50' }])
    expect(batches).toEqual([1])
  })

  it('loads and stores each table with one statement, whatever the number of decisions', async () => {
    const transaction = sqliteTransaction(database)
    const seen: string[] = []
    const watched: Transaction = {
      ...transaction,
      load(loads) {
        seen.push(...loads.map(({ spec, lookup, keys }) => `load ${spec.name} ${lookup} ${keys.length}`))
        return transaction.load(loads)
      },
      store(changes) {
        seen.push(...changes.map(({ spec, inserted }) => `store ${spec.name} ${inserted.length}`))
        return transaction.store(changes)
      },
    }
    await writeAll(commits({ transaction: watched }), ['a', 'b', 'c', 'a'])
    expect(seen).toEqual(['load refund_requests commandId 3', 'store refund_requests 3'])
  })

  it('resolves nothing before the commit', async () => {
    const seen: string[] = []
    const steps = transactionSteps(database)
    const group = commits({
      steps: {
        ...steps,
        async commit() {
          await turn()
          seen.push('commit')
          steps.commit()
        },
      },
    })
    await Promise.all(['a', 'b'].map((text) => group.decide(note(text)).then(() => seen.push(text))))
    expect(seen).toEqual(['commit', 'a', 'b'])
  })

  it('undoes a decision that throws, and no other', async () => {
    const group = commits()
    const failing = group.decide((rows) => {
      rows.refundRequests.want('commandId', 'later')
      note('half')(rows)
      throw new RangeError('on purpose')
    })
    const others = writeAll(group, ['a', 'a', 'b', 'half'])
    await expect(failing).rejects.toThrow('on purpose')
    expect(statuses(await others)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
    expect(notes()).toEqual(['a', 'b', 'half'])
    expect(batches).toEqual([3])
  })

  it('fails a decision alone whose rows the database refuses', async () => {
    const results = await writeAll(commits(), ['a', 'refused 1', 'b', 'refused 2'])
    expect(statuses(results)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected'])
    for (const result of [results[1], results[3]])
      expect(result).toMatchObject({ reason: { name: 'StoreFailure', reason: 'OTHER' } })
    expect(notes()).toEqual(['a', 'b'])
  })

  it('gives a job that runs statements a transaction of its own, in its turn', async () => {
    const group = commits()
    const first = group.decide(note('a'))
    const exclusive = group.exclusively(async ({ db }) => {
      const row = { command_id: 'b', payment_id: 'P', idempotency_key: 'k', reason: null }
      await db.insertInto('refund_requests').values(row).execute()
      return notes()
    })
    const last = group.decide(note('b')).catch((error: unknown) => error)
    expect(await exclusive).toEqual(['a', 'b'])
    expect([await first, await last]).toEqual(['a', new RangeError('b is noted')])
    expect(batches).toEqual([1, 1, 0])
  })

  it('rejects every decision of a batch whose commit fails, and goes on with the next', async () => {
    const group = commits({ maxBatch: 2, steps: stepsFailing('commit', 1) })
    expect(statuses(await writeAll(group, ['a', 'b', 'c', 'd']))).toEqual([
      'rejected',
      'rejected',
      'fulfilled',
      'fulfilled',
    ])
    expect(notes()).toEqual(['c', 'd'])
    expect(batches).toEqual([2])
  })

  it('rejects those who wait when no transaction can begin, and works once it can', async () => {
    const group = commits({ steps: stepsFailing('begin', 1) })
    expect(statuses(await writeAll(group, ['a', 'b']))).toEqual(['rejected', 'rejected'])
    expect(statuses(await writeAll(group, ['c']))).toEqual(['fulfilled'])
    expect(notes()).toEqual(['c'])
  })

  it('does not try each alone when the way to the database is lost', async () => {
    const transaction = sqliteTransaction(database)
    let stores = 0
    const group = commits({
      transaction: {
        ...transaction,
        store() {
          stores += 1
          throw new StoreFailure('DOWN', null)
        },
      },
    })
    expect(statuses(await writeAll(group, ['a', 'b', 'c']))).toEqual(['rejected', 'rejected', 'rejected'])
    expect(stores).toBe(1)
  })

  it('runs a transaction again that the database has undone, three times at most', async () => {
    let failures = 2
    const transaction = sqliteTransaction(database)
    const group = commits({
      isTransient: () => true,
      transaction: {
        ...transaction,
        store(changes) {
          if (failures-- > 0) throw new Error('deadlock')
          return transaction.store(changes)
        },
      },
    })
    expect(statuses(await writeAll(group, ['a', 'b']))).toEqual(['fulfilled', 'fulfilled'])
    failures = 3
    expect(statuses(await writeAll(group, ['c']))).toEqual(['rejected'])
    expect(notes()).toEqual(['a', 'b'])
  })

  it('bounds a batch', async () => {
    await writeAll(commits({ maxBatch: 2 }), ['a', 'b', 'c', 'd', 'e'])
    expect(batches).toEqual([2, 2, 1])
  })

  it('lets those who come during a commit share the next one', async () => {
    const steps = transactionSteps(database)
    const { promise: synced, resolve: sync } = Promise.withResolvers<undefined>()
    const group = commits({
      steps: {
        ...steps,
        async commit() {
          steps.commit()
          await synced
        },
      },
    })
    const first = group.decide(note('a'))
    while (notes().length === 0) await turn()
    const later = ['b', 'c', 'd'].map((text) => group.decide(note(text)))
    await turn()
    expect(notes()).toEqual(['a'])
    sync(undefined)
    await Promise.all([first, ...later])
    expect(batches).toEqual([1, 3])
  })

  it('begins nothing before what follows a commit has ended, and answers before', async () => {
    const { promise: ended, resolve: end } = Promise.withResolvers<undefined>()
    const group = commits({ onCommitted: () => ended })
    await group.decide(note('a'))
    const next = group.decide(note('b'))
    for (let turns = 0; turns < 5; turns += 1) await turn()
    expect(notes()).toEqual(['a'])
    end(undefined)
    await next
    expect(notes()).toEqual(['a', 'b'])
  })

  it('refuses what does not fit in the queue, and nothing of what does', async () => {
    const group = commits({ maxWaiting: 2 })
    const results = await writeAll(group, ['a', 'b', 'c'])
    expect(statuses(results)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
    expect(results[2]).toMatchObject({ reason: new StoreBusyError() })
    expect(statuses(await writeAll(group, ['d']))).toEqual(['fulfilled'])
  })

  it('fails those who have waited for too long together with a batch, and nobody who came later', async () => {
    const group = commits({ maxBatch: 1, maxWaitMs: 1000, steps: stepsFailing('begin', 1) })
    const late = writeAll(group, ['a', 'b', 'c'])
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 2000)
    const inTime = writeAll(group, ['d'])
    expect(await late).toMatchObject(Array.from({ length: 3 }, () => ({ reason: new Error('no begin') })))
    expect(statuses(await inTime)).toEqual(['fulfilled'])
    expect(notes()).toEqual(['d'])
  })

  it('finishes what waits when it is closed, and takes no more', async () => {
    const group = commits()
    const waiting = writeAll(group, ['a', 'b'])
    await group.close()
    expect(notes()).toEqual(['a', 'b'])
    expect(statuses(await waiting)).toEqual(['fulfilled', 'fulfilled'])
    await expect(group.decide(() => undefined)).rejects.toThrow(StoreClosedError)
  })
})

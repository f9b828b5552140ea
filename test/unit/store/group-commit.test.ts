import { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { StoreBusyError, StoreClosedError } from '../../../src/store/errors.ts'
import { createGroupCommit, type GroupCommitOptions } from '../../../src/store/group-commit.ts'
import { transactionSteps } from '../../../src/store/sqlite-connection.ts'

describe('group commit', () => {
  let database: DatabaseSync
  let batches: number[]

  beforeEach(() => {
    database = new DatabaseSync(':memory:')
    database.exec('CREATE TABLE notes (text TEXT NOT NULL UNIQUE) STRICT')
    batches = []
  })

  afterEach(() => {
    vi.restoreAllMocks()
    database.close()
  })

  function commits(options: Partial<GroupCommitOptions<{ note: (text: string) => void }>> = {}) {
    return createGroupCommit({
      steps: transactionSteps(database),
      newUnit: () => ({ note: (text: string) => void database.prepare('INSERT INTO notes VALUES (?)').run(text) }),
      committed: (units) => void batches.push(units.length),
      toFailure: (error) => error,
      maxBatchMs: 10_000,
      ...options,
    })
  }

  function notes(): unknown[] {
    return database
      .prepare('SELECT text FROM notes ORDER BY rowid')
      .all()
      .map(({ text }) => text)
  }

  function writeAll(group: ReturnType<typeof commits>, texts: readonly string[]) {
    return Promise.allSettled(
      texts.map((text) =>
        group.write(async ({ note }) => {
          note(text)
          return text
        }),
      ),
    )
  }

  it('commits the jobs that are there together, in their order, and gives each its result', async () => {
    const results = await writeAll(commits(), ['a', 'b', 'c'])
    expect(results.map((result) => result.status === 'fulfilled' && result.value)).toEqual(['a', 'b', 'c'])
    expect(notes()).toEqual(['a', 'b', 'c'])
    expect(batches).toEqual([3])
  })

  it('resolves nothing before the commit', async () => {
    const seen: string[] = []
    const steps = transactionSteps(database)
    const group = commits({
      steps: {
        ...steps,
        commit() {
          seen.push('commit')
          steps.commit()
        },
      },
    })
    await Promise.all(['a', 'b'].map((text) => group.write(async ({ note }) => note(text)).then(() => seen.push(text))))
    expect(seen).toEqual(['commit', 'a', 'b'])
  })

  it('undoes a job that throws, and no other', async () => {
    const group = commits()
    const failing = group.write(async ({ note }) => {
      note('half')
      throw new RangeError('on purpose')
    })
    const others = writeAll(group, ['a', 'a', 'b'])
    await expect(failing).rejects.toThrow('on purpose')
    expect((await others).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(notes()).toEqual(['a', 'b'])
    expect(batches).toEqual([2])
  })

  it('rejects every job of a batch whose commit fails, and goes on with the next', async () => {
    let failures = 1
    const steps = transactionSteps(database)
    const group = commits({
      maxBatch: 2,
      steps: {
        ...steps,
        commit() {
          if (failures-- > 0) throw new Error('no commit')
          steps.commit()
        },
      },
    })
    const results = await writeAll(group, ['a', 'b', 'c', 'd'])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled'])
    expect(notes()).toEqual(['c', 'd'])
    expect(batches).toEqual([2])
  })

  it('rejects the jobs that wait when no transaction can begin, and works once it can', async () => {
    let broken = true
    const steps = transactionSteps(database)
    const group = commits({
      steps: {
        ...steps,
        begin() {
          if (broken) throw new Error('no beginning')
          steps.begin()
        },
      },
    })
    expect((await writeAll(group, ['a', 'b'])).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    broken = false
    expect((await writeAll(group, ['c'])).map(({ status }) => status)).toEqual(['fulfilled'])
    expect(notes()).toEqual(['c'])
  })

  it('rejects the whole batch when a job has lost the transaction', async () => {
    const group = commits()
    const first = group.write(async ({ note }) => note('a'))
    const losing = group.write(async () => {
      database.exec('ROLLBACK')
      throw new Error('lost')
    })
    const results = await Promise.allSettled([first, losing])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(notes()).toEqual([])
    await group.write(async ({ note }) => note('b'))
    expect(notes()).toEqual(['b'])
  })

  it('bounds a batch by its jobs, and by its time', async () => {
    await writeAll(commits({ maxBatch: 2 }), ['a', 'b', 'c', 'd', 'e'])
    expect(batches).toEqual([2, 2, 1])
    batches = []
    await writeAll(commits({ maxBatchMs: 0 }), ['f', 'g'])
    expect(batches).toEqual([1, 1])
  })

  it('lets those who come one after the other share a commit, after one that held up the event loop', async () => {
    const steps = transactionSteps(database)
    const group = commits({
      slackShare: 1,
      steps: {
        ...steps,
        commit() {
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
          steps.commit()
        },
      },
    })
    await group.write(async ({ note }) => note('a'))
    const later: Promise<void>[] = []
    for (const text of ['b', 'c', 'd']) {
      later.push(group.write(async ({ note }) => note(text)))
      await turn()
    }
    await Promise.all(later)
    expect(batches).toEqual([1, 3])
  })

  it('refuses what does not fit in the queue, and nothing of what does', async () => {
    const group = commits({ maxWaiting: 2 })
    const results = await writeAll(group, ['a', 'b', 'c'])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
    expect(results[2]).toMatchObject({ reason: new StoreBusyError() })
    expect((await writeAll(group, ['d'])).map(({ status }) => status)).toEqual(['fulfilled'])
  })

  it('fails those who have waited for too long together with a batch, and nobody who came later', async () => {
    const steps = transactionSteps(database)
    let failures = 1
    const group = commits({
      maxBatch: 1,
      maxWaitMs: 1000,
      steps: {
        ...steps,
        async begin() {
          if (failures-- > 0) throw new Error('no beginning')
          steps.begin()
        },
      },
    })
    const late = writeAll(group, ['a', 'b', 'c'])
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 2000)
    const inTime = writeAll(group, ['d'])
    expect(await late).toMatchObject(Array.from({ length: 3 }, () => ({ reason: new Error('no beginning') })))
    expect(await inTime).toMatchObject([{ status: 'fulfilled' }])
    expect(notes()).toEqual(['d'])
  })

  it('finishes what waits when it is closed, and takes no more', async () => {
    const group = commits()
    const waiting = writeAll(group, ['a', 'b'])
    await group.close()
    expect(notes()).toEqual(['a', 'b'])
    expect((await waiting).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
    await expect(group.write(async () => undefined)).rejects.toThrow(StoreClosedError)
  })
})

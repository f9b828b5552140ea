import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  createListReads,
  createReadThread,
  queriesFrom,
  type ReadThread,
} from '../../../src/store/sqlite/read-thread.ts'
import { StoreBusyError, StoreClosedError, StoreFailure } from '../../../src/store/store-errors.ts'
import { openSqliteStore } from '../../support/store.ts'
import { delivery, report } from '../contract/builders.ts'
import { type SqliteFile, sqliteFile } from '../contract/sqlite-fixture.ts'

/** Takes a moment because it counts, and reads no table. */
const SLOW =
  'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT count(*) AS count FROM n'

describe('the thread that reads', () => {
  let file: SqliteFile
  let writer: DatabaseSync
  let thread: ReadThread

  beforeEach(async () => {
    file = await sqliteFile()
    await (await openSqliteStore({ path: file.path })).close()
    writer = new DatabaseSync(file.path)
    thread = createReadThread(file.path)
  })

  afterEach(async () => {
    await thread.close()
    writer.close()
    await file.remove()
  })

  it('reads what was committed before it was asked', async () => {
    for (let position = 1; position <= 20; position += 1) {
      writer.exec(`UPDATE log_head SET position = ${position}`)
      expect(await thread.all('SELECT position FROM log_head', [])).toEqual([{ position }])
    }
  })

  it('leaves the event loop free while a query runs', async () => {
    expect(await turnsDuring(thread.all)).toBeGreaterThan(3)
  })

  it('writes nothing, and tells what a query was refused for', async () => {
    await expect(thread.all('UPDATE log_head SET position = 7', [])).rejects.toThrow(StoreFailure)
    await expect(thread.all('SELECT * FROM nowhere', [])).rejects.toMatchObject({ reason: 'OTHER' })
    expect(await thread.all('SELECT position FROM log_head', [])).toEqual([{ position: 0 }])
  })

  it('lets only so many wait', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 20_200 }, () => thread.all('SELECT position FROM log_head', [])),
    )
    const refused = results.filter(({ status }) => status === 'rejected')
    expect(refused).toHaveLength(200)
    for (const result of refused) expect(result).toMatchObject({ reason: expect.any(StoreBusyError) as unknown })
  })

  it('gives the event loop few answers in a turn, however many queries wait', async () => {
    let turn = 0
    const turns: number[] = []
    const reading = Array.from({ length: 200 }, async () => {
      await thread.all('SELECT position FROM log_head', [])
      turns.push(turn)
      // Work, during which the thread goes on.
      for (const until = performance.now() + 1; performance.now() < until;);
    })
    const count = () => {
      turn += 1
      if (turns.length < reading.length) setImmediate(count)
    }
    count()
    await Promise.all(reading)
    expect(
      Math.max(
        ...Map.groupBy(turns, (at) => at)
          .values()
          .map(({ length }) => length),
      ),
    ).toBeLessThanOrEqual(8)
  })

  it('is replaced when it has ended, and those who waited are told', async () => {
    const folder = join(dirname(file.path), 'later')
    const early = createReadThread(join(folder, 'payments.db'))
    const results = await Promise.allSettled([early.all('SELECT 1 AS one', []), early.all('SELECT 2 AS two', [])])
    for (const result of results) expect(result).toMatchObject({ reason: { name: 'StoreFailure', reason: 'OTHER' } })
    mkdirSync(folder)
    expect(await early.all('SELECT 1 AS one', [])).toEqual([{ one: 1 }])
    await early.close()
  })

  it('takes nothing once it is closed, and what still runs is told so', async () => {
    const asked = thread.all(SLOW, [1_000_000]).catch((error: unknown) => error)
    await thread.close()
    expect(await asked).toBeInstanceOf(StoreClosedError)
    await expect(thread.all('SELECT 1', [])).rejects.toThrow(StoreClosedError)
  })
})

describe('where lists are read', () => {
  const SMALL = 32 * 1024 * 1024
  const SHORT = 'SELECT position FROM log_head'
  let file: SqliteFile
  let reader: DatabaseSync
  let thread: ReadThread

  beforeEach(async () => {
    file = await sqliteFile()
    await (await openSqliteStore({ path: file.path })).close()
    reader = new DatabaseSync(file.path)
    thread = createReadThread(file.path)
  })

  afterEach(async () => {
    await thread.close()
    if (reader.isOpen) reader.close()
    await file.remove()
  })

  it('is the event loop of a small database, until one of its queries takes long', async () => {
    const all = createListReads({ reader, thread, bytes: () => SMALL })
    for (let n = 1; n <= 20; n += 1) expect(await all(SHORT, [])).toEqual([{ position: 0 }])
    expect(await turnsDuring(all, 10_000_000)).toBeLessThan(3)
    expect(await turnsDuring(all)).toBeGreaterThan(3)
  })

  it('is the thread once a small database is asked all the time', async () => {
    let onThread = 0
    const counting: Pick<ReadThread, 'all'> = {
      all(...query) {
        onThread += 1
        return thread.all(...query)
      },
    }
    const all = createListReads({ reader, thread: counting, bytes: () => SMALL })
    while (onThread < 2) expect(await all(SHORT, [])).toEqual([{ position: 0 }])
  })

  it('is the thread of a larger one', async () => {
    expect(await turnsDuring(createListReads({ reader, thread, bytes: () => SMALL + 1 }))).toBeGreaterThan(3)
  })

  it('is the thread of one that has grown, within a second', async () => {
    let size = SMALL
    const begun = performance.now()
    const clock = vi.spyOn(performance, 'now').mockReturnValue(begun)
    try {
      const all = createListReads({ reader, thread, bytes: () => size })
      expect(await all(SHORT, [])).toEqual([{ position: 0 }])
      size += 1
      expect(await turnsDuring(all)).toBeLessThan(3)
      clock.mockReturnValue(begun + 1_001)
      expect(await turnsDuring(all)).toBeGreaterThan(3)
    } finally {
      clock.mockRestore()
    }
  })

  it('makes no difference to what goes wrong', async () => {
    for (const size of [SMALL, SMALL + 1]) {
      const all = createListReads({ reader, thread, bytes: () => size })
      await expect(all('SELECT * FROM nowhere', [])).rejects.toMatchObject({ name: 'StoreFailure', reason: 'OTHER' })
    }
    reader.close()
    await expect(createListReads({ reader, thread, bytes: () => SMALL })(SHORT, [])).rejects.toThrow(StoreClosedError)
  })
})

it('passes all queries on at once, so that none waits for the end of another', async () => {
  let asked = 0
  const { promise, resolve } = Promise.withResolvers<unknown[]>()
  const queries = queriesFrom(() => {
    asked += 1
    if (asked === 100) resolve([{ position: 0 }])
    return promise
  })
  const read = () => queries.selectFrom('log_head').select('position').executeTakeFirst()
  expect(await Promise.all(Array.from({ length: 100 }, read))).toContainEqual({ position: 0 })
})

/** Returns how often the event loop turned while a query that counts so far was run. */
async function turnsDuring(all: ReadThread['all'], count = 500_000): Promise<number> {
  let turns = 0
  let done = false
  const asked = all(SLOW, [count]).finally(() => (done = true))
  while (!done) {
    await new Promise((resolve) => setImmediate(resolve))
    turns += 1
  }
  expect(await asked).toEqual([{ count }])
  return turns
}

describe('lists of a store in a file', () => {
  it('show each commit as soon as it is answered', async () => {
    const { path, remove } = await sqliteFile()
    const store = await openSqliteStore({ path })
    for (let n = 1; n <= 20; n += 1) {
      await store.inbox.receive(delivery(report('pending', { paymentId: `P${n}` })))
      expect((await store.payments.page({ limit: 1, before: null }, {})).rows).toMatchObject([{ row: { id: `P${n}` } }])
    }
    await store.close()
    await expect(store.payments.page({ limit: 1, before: null }, {})).rejects.toThrow(StoreClosedError)
    await remove()
  })
})

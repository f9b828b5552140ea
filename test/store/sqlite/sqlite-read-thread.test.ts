import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createListReads, createReadThread, type ReadThread } from '../../../src/store/sqlite/read-thread.ts'
import { StoreBusyError, StoreClosedError, StoreFailure } from '../../../src/store/store-errors.ts'
import { openSqliteStore } from '../../support/store.ts'
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

  it('makes no difference to what goes wrong', async () => {
    for (const size of [SMALL, SMALL + 1]) {
      const all = createListReads({ reader, thread, bytes: () => size })
      await expect(all('SELECT * FROM nowhere', [])).rejects.toMatchObject({ name: 'StoreFailure', reason: 'OTHER' })
    }
    reader.close()
    await expect(createListReads({ reader, thread, bytes: () => SMALL })(SHORT, [])).rejects.toThrow(StoreClosedError)
  })
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

import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { prepareFile } from '../../../src/store/sqlite/files.ts'
import { guardFsync } from '../../../src/store/sqlite/fsync-guard.ts'
import { transactionSteps } from '../../../src/store/sqlite/sqlite-connection.ts'
import { durableQueries, queriesOn } from '../../../src/store/sqlite/sqlite-dialect.ts'
import { StoreFailure } from '../../../src/store/store-errors.ts'
import { type SqliteFile, sqliteFile } from '../contract/sqlite-fixture.ts'

describe('queries beside a commit that is being synced', () => {
  let file: SqliteFile
  let writer: DatabaseSync
  let reader: DatabaseSync
  let sync: PromiseWithResolvers<void>

  beforeEach(async () => {
    file = await sqliteFile()
    const path = prepareFile(file.path)
    writer = new DatabaseSync(path)
    writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE notes (text TEXT)')
    reader = new DatabaseSync(path)
    sync = Promise.withResolvers()
  })

  afterEach(async () => {
    reader.close()
    writer.close()
    await file.remove()
  })

  function open() {
    const guard = guardFsync({
      steps: transactionSteps(writer),
      syncLog: () => sync.promise,
      checkpoint: () => null,
    })
    const queries = durableQueries(queriesOn(reader), guard.unsynced)
    const notes = async () => (await sql<{ text: string }>`SELECT text FROM notes`.execute(queries)).rows
    const write = async () => {
      await guard.steps.begin()
      writer.exec(`INSERT INTO notes VALUES ('new')`)
      await guard.steps.commit()
    }
    return { guard, notes, write }
  }

  it('resolve after it, those before and after it without waiting', async () => {
    const { guard, notes, write } = open()
    expect(await notes()).toEqual([])
    const order: string[] = []
    const written = write().then(() => order.push('written'))
    const read = notes().then((rows) => order.push(`read ${rows.length}`))
    await new Promise(setImmediate)
    expect(guard.unsynced()).not.toBeNull()
    expect(order).toEqual([])
    order.push('synced')
    sync.resolve()
    await Promise.all([written, read])
    expect(order.toSorted()).toEqual(['read 1', 'synced', 'written'])
    expect(order[0]).toBe('synced')
    expect(guard.unsynced()).toBeNull()
    expect(await notes()).toHaveLength(1)
  })

  it('reject for good when it cannot be synced', async () => {
    const { guard, notes, write } = open()
    const written = write()
    const read = notes()
    sync.reject(new StoreFailure('SYNC', null))
    await expect(written).rejects.toMatchObject({ reason: 'SYNC' })
    await expect(read).rejects.toMatchObject({ reason: 'SYNC' })
    await expect(notes()).rejects.toMatchObject({ reason: 'SYNC' })
    await expect(write()).rejects.toMatchObject({ reason: 'SYNC' })
    expect(guard.assert).toThrow(StoreFailure)
  })
})

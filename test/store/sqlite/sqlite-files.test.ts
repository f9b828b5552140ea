import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isEnding, markEnding } from '../../../src/store/sqlite/files.ts'
import { StoreUnusableError } from '../../../src/store/store-errors.ts'
import { openSqliteStore } from '../../support/store.ts'
import { delivery, report } from '../contract/builders.ts'
import { type SqliteFile, sqliteFile } from '../contract/sqlite-fixture.ts'

const RECEIVER = fileURLToPath(new URL('./receive-forever.ts', import.meta.url))

describe('the files of the SQLite store', () => {
  let file: SqliteFile

  beforeEach(async () => {
    file = await sqliteFile()
  })

  afterEach(() => file.remove())

  async function refusal(): Promise<StoreUnusableError> {
    const error: unknown = await openSqliteStore({ path: file.path }).catch((reason: unknown) => reason)
    if (error instanceof StoreUnusableError) return error
    throw new Error('Expected the store not to open.', { cause: error })
  }

  it('are for their owner alone', async () => {
    const store = await openSqliteStore({ path: file.path })
    await store.inbox.receive(delivery(report('pending')))
    const modeOf = (path: string) => statSync(path).mode & 0o777
    expect(modeOf(dirname(file.path))).toBe(0o700)
    expect(['', '-wal', '-shm', '.lock'].map((suffix) => modeOf(`${file.path}${suffix}`))).toEqual([
      0o600, 0o600, 0o600, 0o600,
    ])
    await store.close()
  })

  it('leave a folder that exists as it is', async () => {
    mkdirSync(dirname(file.path), { mode: 0o750 })
    const store = await openSqliteStore({ path: file.path })
    expect(statSync(dirname(file.path)).mode & 0o777).toBe(0o750)
    await store.close()
  })

  it('are waited for while the process that has them is ending', async () => {
    const first = await openSqliteStore({ path: file.path })
    await first.inbox.receive(delivery(report('pending')))
    const removeMark = markEnding(file.path)
    const { promise: waits, resolve: onWait } = Promise.withResolvers<void>()
    const opening = openSqliteStore({ path: file.path, onWait })
    await waits
    await first.close()
    const second = await opening
    expect(await second.log.head()).toBe(1)
    expect(isEnding(file.path)).toBe(false)
    removeMark()
    await second.close()
  })

  it('are refused where the mark of an ending is old, or removed without an end', async () => {
    const first = await openSqliteStore({ path: file.path })
    const removeMark = markEnding(file.path)
    const before = new Date(Date.now() - 21_000)
    utimesSync(`${file.path}.ending`, before, before)
    expect((await refusal()).message).toContain('in use')
    markEnding(file.path)
    const { promise: waits, resolve: onWait } = Promise.withResolvers<void>()
    const opening = openSqliteStore({ path: file.path, onWait })
    opening.catch(() => undefined)
    await waits
    removeMark()
    await expect(opening).rejects.toThrow('in use')
    await first.close()
  })

  // promise(kept): A second process on the same SQLite file is refused, and the first continues.
  it('are opened once at a time: the second is refused, and the first goes on unharmed', async () => {
    const first = await openSqliteStore({ path: file.path })
    await first.inbox.receive(delivery(report('pending')))
    for (const attempt of [1, 2, 3]) {
      const { message } = await refusal()
      expect(message).toContain('DATABASE_URL')
      expect(message).toContain('in use')
      expect(message).not.toContain(basename(file.path))
      await first.inbox.receive(delivery(report('pending', { paymentId: `P${attempt}` })))
    }
    expect(await first.log.head()).toBe(4)
    await first.close()
    const next = await openSqliteStore({ path: file.path })
    expect(await next.log.head()).toBe(4)
    await next.close()
  })

  it('are free again when the process that held them was killed', async () => {
    const child = spawn(process.execPath, [RECEIVER, file.path], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    expect((await refusal()).message).toContain('in use')
    child.kill('SIGKILL')
    await once(child, 'exit')
    const store = await openSqliteStore({ path: file.path })
    expect(await store.log.head()).toBeGreaterThan(0)
    await store.close()
  })

  it('are refused when they hold something else', async () => {
    mkdirSync(dirname(file.path))
    writeFileSync(file.path, 'This is no database, and longer than a header would be. '.repeat(40))
    expect((await refusal()).message).toBe('The database that DATABASE_URL names cannot be used (CORRUPT).')
  })

  it('are refused where none can be made, without naming the place', async () => {
    writeFileSync(dirname(file.path), 'a file where the folder should be')
    const { message } = await refusal()
    expect(message).toMatch(/^The database that DATABASE_URL names cannot be opened \((ENOTDIR|EEXIST)\)\.$/)
  })

  it('are refused when a later version has changed them, and left as they are', async () => {
    const store = await openSqliteStore({ path: file.path })
    await store.close()
    const database = new DatabaseSync(file.path)
    database.exec("INSERT INTO migrations VALUES (9999, '9999-later.sql', 0, 'breaking', 1)")
    database.close()
    expect((await refusal()).message).toContain('later version')
    expect(existsSync(`${file.path}-wal`)).toBe(false)
  })
})

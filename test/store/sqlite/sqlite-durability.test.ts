import { afterEach, describe, expect, it } from 'vitest'
import { StoreUnusableError } from '../../../src/store/store-errors.ts'
import { delivery, report } from '../contract/builders.ts'
import { openWatchedStore, type WatchedStore } from './watched-store.ts'

const NORMAL = 1
const FULL = 2

describe('durability of the SQLite store', () => {
  let opened: WatchedStore | null = null

  afterEach(async () => {
    await opened?.destroy()
    opened = null
  })

  it('leaves the sync of its own commits alone to the store, on each connection, before and after the first write', async () => {
    opened = await openWatchedStore()
    await opened.store.inbox.receive(delivery(report('pending')))
    expect(opened.writer.pragma('synchronous')).toBe(NORMAL)
    expect(opened.reader.pragma('synchronous')).toBe(FULL)
    for (const connection of [opened.writer, opened.reader]) {
      expect(connection.pragma('journal_mode')).toBe('wal')
      expect(connection.pragma('foreign_keys')).toBe(1)
      expect(connection.pragma('busy_timeout')).toBeGreaterThan(0)
    }
  })

  it('does not open when the driver syncs less than it is told to', async () => {
    const opening = openWatchedStore((database) => {
      database.intercept = (sql) => sql.replace('synchronous = FULL', 'synchronous = NORMAL')
    })
    await expect(opening).rejects.toThrow(StoreUnusableError)
    await expect(opening).rejects.toThrow('not durable: synchronous is 1')
  })

  it('does not open when checkpoints would not be synced', async () => {
    const opening = openWatchedStore((database) => {
      database.intercept = (sql) => sql.replace('synchronous = NORMAL', 'synchronous = OFF')
    })
    await expect(opening).rejects.toThrow('not durable: synchronous is 0')
  })

  it('does not open without a write-ahead log', async () => {
    const opening = openWatchedStore((database) => {
      database.intercept = (sql) => sql.replace('journal_mode = WAL', 'journal_mode = DELETE')
    })
    await expect(opening).rejects.toThrow('the journal delete')
  })

  it('tells nobody that it is unusable after a commit that failed otherwise', async () => {
    opened = await openWatchedStore()
    const { store, writer } = opened
    const told: unknown[] = []
    store.onFatal((failure) => told.push(failure))
    writer.intercept = (sql) => {
      if (sql === 'COMMIT') throw Object.assign(new Error('database or disk is full'), { errcode: 13 })
      return sql
    }
    await expect(store.inbox.receive(delivery(report('pending')))).rejects.toMatchObject({ reason: 'FULL' })
    writer.intercept = (sql) => sql
    await store.inbox.receive(delivery(report('pending')))
    expect(told).toEqual([])
  })

  it('writes nothing more after a commit that could not be synced', async () => {
    opened = await openWatchedStore()
    const { store, writer } = opened
    writer.intercept = (sql) => {
      if (sql === 'COMMIT') throw Object.assign(new Error('disk I/O error'), { errcode: 1034 })
      return sql
    }
    const told: unknown[] = []
    store.onFatal((failure) => told.push(failure))
    store.onFatal(() => told.push('nobody wants to know any more'))()
    const lost = store.inbox.receive(delivery(report('pending')))
    await expect(lost).rejects.toMatchObject({ name: 'StoreFailure', reason: 'SYNC' })
    writer.intercept = (sql) => sql
    await expect(store.inbox.receive(delivery(report('received')))).rejects.toMatchObject({ reason: 'SYNC' })
    await expect(store.ping()).rejects.toMatchObject({ reason: 'SYNC' })
    expect(await store.log.head()).toBe(0)
    expect(told).toMatchObject([{ name: 'StoreFailure', reason: 'SYNC' }])
    const late = new Promise((resolve) => store.onFatal(resolve))
    expect(await late).toBe(told[0])

    const again = await opened.reopen()
    await again.inbox.receive(delivery(report('received')))
    expect(await again.log.head()).toBe(1)
  })
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMigrated } from '../../support/migrated-database.ts'
import { openSqliteStore, type SqliteStoreOptions } from '../../support/store.ts'
import type { OpenedStore } from './store-contract.ts'

export type SqliteFile = { readonly path: string; remove(): Promise<void> }

/** Returns a path for a database, in a temporary folder. */
export async function sqliteFile(): Promise<SqliteFile> {
  const folder = await mkdtemp(join(tmpdir(), 'payments-store-'))
  return { path: join(folder, 'data', 'payments.db'), remove: () => rm(folder, { recursive: true }) }
}

/** Opens a store on an empty SQLite file. */
export async function openSqliteFixture(options: Omit<SqliteStoreOptions, 'path'> = {}): Promise<OpenedStore> {
  const { path, remove } = await sqliteFile()
  createMigrated(path)
  const store = await openSqliteStore({ ...options, path }).catch(async (error: unknown) => {
    await remove()
    throw error
  })
  let current = store
  return {
    store,
    async reopen() {
      await current.close()
      current = await openSqliteStore({ ...options, path })
      return current
    },
    async destroy() {
      await current.close()
      await remove()
    },
  }
}

import { present } from '../contract/builders.ts'
import { openSqliteFixture } from '../contract/sqlite-fixture.ts'
import type { OpenedStore } from '../contract/store-contract.ts'
import { WatchedDatabase } from './watched-database.ts'

export type WatchedStore = OpenedStore & { readonly writer: WatchedDatabase; readonly reader: WatchedDatabase }

/** Opens a store whose connections can be watched; `prepare` gets each connection before its first use. */
export async function openWatchedStore(prepare?: (database: WatchedDatabase) => void): Promise<WatchedStore> {
  const connections: WatchedDatabase[] = []
  const opened = await openSqliteFixture({
    connect(path) {
      const database = new WatchedDatabase(path)
      prepare?.(database)
      connections.push(database)
      return database
    },
  })
  const [writer, reader] = connections
  return { ...opened, writer: present(writer), reader: present(reader) }
}

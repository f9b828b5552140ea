import type { Store } from '../../../src/ledger/store.ts'
import { watched } from '../../support/under-way.ts'
import { type VirtualTime, virtualTime } from '../../support/virtual-time.ts'
import { NOW } from '../contract/builders.ts'
import { openSqliteFixture } from '../contract/sqlite-fixture.ts'

export type VirtualStore = { readonly store: Store; readonly time: VirtualTime; destroy(): Promise<void> }

/** Opens a real store on an empty file, with a time that passes only while no call of the store is pending. */
export async function openStoreInVirtualTime(): Promise<VirtualStore> {
  let underWay = () => 0
  const time = virtualTime({ start: NOW, isQuiet: () => underWay() === 0 })
  const { store, destroy } = await openSqliteFixture({ clock: time.clock })
  const { thing, underWay: calls } = watched(store)
  underWay = calls
  return { store: thing, time, destroy }
}

import { expect, it } from 'vitest'
import { FIRST_INTERVAL_MS, LONGEST_INTERVAL_MS } from '../../../src/domain/customers/identity-check.ts'
import { present } from './builders.ts'
import type { Fixture } from './store-contract.ts'

const NOW = 1_900_000_000_000
const FOLLOWED = 60_000
const LEASE = 30_000

/** Tests the record of followed identity checks. */
export function identityWatchesContract(fixture: Fixture): void {
  const watches = () => fixture.store.identityWatches
  const follow = (keys: readonly string[], now = NOW, most = 9) =>
    watches().follow(keys, { now, followedUntil: now + FOLLOWED, leaseUntil: now + LEASE, most })
  const found = async (key = 'a') => present((await watches().find([key]))[0])

  it('gives each to one reader, new ones first, and to another once its lease is over', async () => {
    expect(await watches().find([])).toEqual([])
    expect(await follow(['a', 'b', 'c'], NOW, 2)).toEqual(['a', 'b'])
    expect(await follow(['a', 'b', 'c'])).toEqual(['c'])
    expect(await follow(['a', 'b', 'c', 'd'])).toEqual(['d'])
    expect(await found()).toEqual({ key: 'a', state: null, dueAt: NOW + LEASE, followedUntil: NOW + FOLLOWED })
    expect(await follow(['a', 'b', 'e'], NOW + LEASE, 2)).toEqual(['e', 'a'])
  })

  it('records what was read, and waits longer while nothing changes', async () => {
    await follow(['a'])
    const first = present(await watches().record('a', { status: 'pending', results: 1 }, NOW))
    expect(first).toMatchObject({ status: 'pending', results: 1, readAt: NOW })
    expect(await found()).toMatchObject({ state: first, dueAt: NOW + FIRST_INTERVAL_MS })
    let now = NOW
    for (const waited of [2, 4, 8, 12, 12]) {
      now = (await found()).dueAt
      await follow(['a'], now)
      const same = await watches().record('a', { status: 'pending', results: 1 }, now)
      expect(same).toEqual({ ...first, readAt: now })
      expect((await found()).dueAt - now).toBe(waited * FIRST_INTERVAL_MS)
    }
    expect(LONGEST_INTERVAL_MS).toBe(12 * FIRST_INTERVAL_MS)
    await follow(['a'], (await found()).dueAt)
    const changed = present(await watches().record('a', { status: null, results: 1 }, now))
    expect(changed).toMatchObject({ status: null, version: first.version + 1 })
    expect(await found()).toMatchObject({ state: changed, dueAt: now + FIRST_INTERVAL_MS })
    expect(present(await watches().record('a', { status: null, results: 2 }, now)).version).toBe(changed.version + 1)
  })

  it('is read at once when something is reported, also during a read, and later after one that failed', async () => {
    await follow(['a'])
    await watches().hasten(['a', 'nobody'], NOW)
    await watches().record('a', { status: 'pending', results: 1 }, NOW + 1)
    expect(await found()).toMatchObject({ dueAt: NOW })
    expect(await follow(['a'], NOW + 2)).toEqual(['a'])
    await watches().postpone('a', NOW + 3)
    expect((await found()).dueAt).toBe(NOW + 3 + FIRST_INTERVAL_MS)
    expect(await watches().find(['nobody'])).toEqual([])
  })

  it('keeps nothing that nobody follows, and begins anew with a later version', async () => {
    await follow(['a', 'b'])
    const before = present(await watches().record('a', { status: 'approved', results: 1 }, NOW))
    const later = NOW + FOLLOWED + 1
    expect(await follow(['c'], later)).toEqual(['c'])
    expect(await watches().find(['a', 'b'])).toEqual([])
    expect(await watches().record('a', { status: 'approved', results: 1 }, later)).toBeNull()
    await watches().postpone('a', later)
    await follow(['a'], later)
    const again = present(await watches().record('a', { status: 'approved', results: 1 }, later))
    expect(again.version).toBeGreaterThan(before.version)
    await watches().drop('a')
    expect(await watches().find(['a'])).toEqual([])
  })
}

import { expect, it } from 'vitest'
import { after } from './builders.ts'
import type { Fixture } from './store-contract.ts'

const LEASE_MS = 30_000

export function leasesContract(fixture: Fixture): void {
  const take = (owner: string, milliseconds: number) =>
    fixture.store.leases.take('reader', owner, { now: after(milliseconds), until: after(milliseconds + LEASE_MS) })

  it('has one holder, who may renew it', async () => {
    expect(await take('a', 0)).toBe(true)
    expect(await take('b', LEASE_MS - 1)).toBe(false)
    expect(await take('a', LEASE_MS - 1)).toBe(true)
    expect(await take('b', LEASE_MS)).toBe(false)
  })

  it('is taken over once it has expired, and its former holder finds that out', async () => {
    await take('a', 0)
    expect(await take('b', LEASE_MS)).toBe(true)
    expect(await take('a', LEASE_MS + 1)).toBe(false)
  })

  it('is free once it was given back, by its holder alone', async () => {
    const { leases } = fixture.store
    await take('a', 0)
    await leases.release('reader', 'b')
    expect(await take('b', 1)).toBe(false)
    await leases.release('reader', 'a')
    expect(await take('b', 1)).toBe(true)
  })

  it('goes to one of those who try at once', async () => {
    const owners = Array.from({ length: 20 }, (_, n) => `owner-${n}`)
    const got = await Promise.all(owners.map((owner) => take(owner, 0)))
    expect(got.filter(Boolean)).toHaveLength(1)
  })
}

import type { LeaseName } from '../store/lease-store.ts'
import type { Rows } from '../store/rows/rows.ts'

type Taking = { readonly name: LeaseName; readonly owner: string; readonly now: Date; readonly until: Date }

/** Acquires or renews a lease. Returns false if another owner holds it. */
export function takeLease(rows: Rows, { name, owner, now, until }: Taking): boolean {
  const lease = rows.leases.first('name', name)
  if (lease !== null && lease.owner !== owner && lease.until > now.getTime()) return false
  rows.leases.put({ name, owner, until: until.getTime() })
  return true
}

/** Releases a lease; does nothing if another owner holds it. */
export function releaseLease(rows: Rows, name: LeaseName, owner: string): void {
  const lease = rows.leases.first('name', name)
  if (lease?.owner === owner) rows.leases.remove(lease)
}

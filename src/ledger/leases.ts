import type { Lease, LeaseName } from '../store/lease-store.ts'
import type { Rows } from '../store/rows/rows.ts'
import { LeaseLostError } from '../store/store-errors.ts'

type Taking = { readonly name: LeaseName; readonly owner: string; readonly now: Date; readonly until: Date }

/** The owner of a lease that was released. */
const NOBODY = ''

/** Acquires or renews a lease. Returns null if another owner holds it. The fencing number rises if the lease changes hands. */
export function takeLease(rows: Rows, { name, owner, now, until }: Taking): Lease | null {
  const row = rows.leases.first('name', name)
  if (row !== null && row.owner !== owner && row.until > now.getTime()) return null
  const fence = (row?.fence ?? 0) + (row?.owner === owner ? 0 : 1)
  rows.leases.put({ name, owner, until: until.getTime(), fence })
  return { name, owner, fence }
}

/** Releases a lease; does nothing if another owner holds it. The row stays, since it has the fencing number. */
export function releaseLease(rows: Rows, lease: Lease): void {
  const row = rows.leases.first('name', lease.name)
  if (row !== null && isHolder(row, lease)) rows.leases.put({ ...row, owner: NOBODY, until: 0 })
}

/**
 * Runs a decision under a lease; null for one that needs none. Throws a `LeaseLostError`, which undoes the decision, if the lease has
 * changed hands. An expired lease is valid until another process takes it. The owner is compared too, because a version of this program
 * without fencing numbers takes a lease over without raising the number.
 */
export function underLease<Result>(rows: Rows, lease: Lease | null, decision: () => Result): Result {
  if (lease === null) return decision()
  // Loaded together with the rows of the decision.
  rows.leases.want('name', lease.name)
  const result = decision()
  const row = rows.leases.first('name', lease.name)
  if (row === null || !isHolder(row, lease)) throw new LeaseLostError()
  return result
}

function isHolder(row: { readonly owner: string; readonly fence: number }, lease: Lease): boolean {
  return row.owner === lease.owner && row.fence === lease.fence
}

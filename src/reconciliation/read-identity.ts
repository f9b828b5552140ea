import { identityOf, type IdentityState } from '../domain/customers/identity-check.ts'
import { findContact } from '../lookups/find-customers.ts'
import { type ReadFailure, faultOf } from '../lookups/operation-outcome.ts'
import type { Site } from '../upstream/client/sites.ts'
import type { UpstreamClient } from '../upstream/client/upstream-client.ts'
import type { ReadBudget, ReadPermit } from './read-budget.ts'

export type IdentityRead =
  | { readonly kind: 'done'; readonly identity: Pick<IdentityState, 'status' | 'results'> }
  | ReadFailure

/** Reads the state of a contact's identity check, within the budget of its site. Rejects only with a bug of ours. */
export type ReadIdentity = (site: Site, email: string) => Promise<IdentityRead>

export function createIdentityReader({
  upstream,
  budget,
}: {
  readonly upstream: Pick<UpstreamClient, 'getContact'>
  readonly budget: ReadBudget
}): ReadIdentity {
  const acquire = async (site: Site): Promise<ReadPermit | null> => {
    try {
      return await budget.acquire(site.id, 'person')
    } catch (error) {
      if (faultOf(error) === null) throw error
      return null
    }
  }
  return async (site, email) => {
    const permit = await acquire(site)
    if (permit === null) return { kind: 'upstream-unavailable', retryAfterSeconds: null }
    let failure: unknown = null
    const getContact: UpstreamClient['getContact'] = async (...asked) => {
      try {
        return await upstream.getContact(...asked)
      } catch (error) {
        failure = error
        throw error
      }
    }
    try {
      const outcome = await findContact({ upstream: { getContact } }, site, email)
      return outcome.kind === 'done' ? { kind: 'done', identity: identityOf(outcome.found) } : outcome
    } finally {
      permit.end(failure)
    }
  }
}

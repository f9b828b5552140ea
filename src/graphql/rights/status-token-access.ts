import type { KeyRing } from '../../keys/key-ring.ts'
import { issueStatusToken } from '../../keys/status-token.ts'

/** Lifetime of a status token after its link or payment has expired, so that a guest can still open the status page. */
const OUTLIVES_MS = 24 * 3_600_000

/** Creates the token that gives access to the status page of one link or payment until one day after `expiresAt` (ISO 8601). */
export function statusTokenFor(keys: KeyRing, subjectId: string, expiresAt: string): string {
  return issueStatusToken(keys, { subjectId, expiresAt: new Date(Date.parse(expiresAt) + OUTLIVES_MS) })
}

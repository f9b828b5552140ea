import type { KeyRing } from '../../keys/key-ring.ts'
import { issueStatusToken } from '../../keys/status-token.ts'

/** How long a status token outlives its link or payment, so that a guest can still come back to the status page. */
const OUTLIVES_MS = 24 * 3_600_000

/** A capability for the status page of one link or payment, good until a day after `expiresAt` (ISO 8601). */
export function statusTokenFor(keys: KeyRing, subjectId: string, expiresAt: string): string {
  return issueStatusToken(keys, { subjectId, expiresAt: new Date(Date.parse(expiresAt) + OUTLIVES_MS) })
}

import type { Caller } from '../access/caller.ts'
import { callAt } from '../live/call-at.ts'

/**
 * Calls `action` when a caller's token expires, since a stream that waits has to end then, too. Gives the function that
 * cancels it.
 */
export function atExpiry(caller: Caller, action: () => void, clock: () => Date): () => void {
  if (caller.kind === 'anonymous') return () => {}
  return callAt(caller.expiresAt, action, () => clock().getTime())
}

import type { Caller } from '../access/caller.ts'
import type { TokenVerifier } from '../access/verify-token.ts'
import type { Deadline, Deadlines } from '../streams/deadlines.ts'

/** Why a token that was accepted no longer is: its time is over, or the key that signed it was withdrawn. */
export type TokenEndReason = 'expired' | 'withdrawn'

/**
 * Calls `action` when a caller's token ends, since a stream that waits has to end then, too. Returns the function that
 * cancels it.
 */
export type OnTokenEnd = (caller: Caller, token: string | null, action: (reason: TokenEndReason) => void) => () => void

/** Watches tokens by their expiry and by the keys of their issuer. */
export function createTokenEnd(verifier: Pick<TokenVerifier, 'watch'>, deadlines: Deadlines): OnTokenEnd {
  return (caller, token, action) => {
    if (caller.kind === 'anonymous') return () => {}
    const expiry: Deadline = { endsAt: caller.expiresAt, onEnd: () => action('expired'), heapIndex: -1 }
    deadlines.add(expiry)
    const endWatch = token === null ? () => {} : verifier.watch(token, () => action('withdrawn'))
    return () => {
      deadlines.remove(expiry)
      endWatch()
    }
  }
}

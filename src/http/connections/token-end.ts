import type { Caller } from '../../access/caller.ts'
import type { TokenVerifier } from '../../access/verify-token.ts'
import type { Deadline, Deadlines } from '../../streams/stream-registry.ts'

/** Why an accepted token is no longer valid: it has expired, or the key that signed it was withdrawn. */
export type TokenEndReason = 'expired' | 'withdrawn'

/** A stream or a socket. It ends together with its caller's token, even while it is idle. */
export type TokenHolder = {
  readonly caller: Caller
  /** Null if the request had no token, or more than one. */
  readonly token: string | null
  onTokenEnd(reason: TokenEndReason): void
}

/** Notifies streams and sockets when their tokens end. */
export type TokenEnds = {
  /** Calls `onTokenEnd` of the holder when its token ends, until `unwatch`. */
  watch(holder: TokenHolder): void
  unwatch(holder: TokenHolder): void
}

/** Watches the expiry of tokens and the signing keys of their issuers. */
export function createTokenEnds({ watch }: Pick<TokenVerifier, 'watch'>, deadlines: Deadlines): TokenEnds {
  const expiries = new Map<TokenHolder, Deadline>()
  return {
    watch(holder) {
      if (holder.caller.kind === 'anonymous') return
      const expiry = { endsAt: holder.caller.expiresAt, onEnd: () => holder.onTokenEnd('expired') }
      expiries.set(holder, expiry)
      deadlines.add(expiry)
      if (holder.token !== null) watch.add(holder.token, holder)
    },
    unwatch(holder) {
      const expiry = expiries.get(holder)
      if (expiry === undefined) return
      deadlines.remove(expiry)
      expiries.delete(holder)
      if (holder.token !== null) watch.delete(holder.token, holder)
    },
  }
}

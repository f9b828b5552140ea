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

type Expiry = Deadline & { readonly holders: Set<TokenHolder> }

/** Watches the expiry of tokens and the signing keys of their issuers. */
export function createTokenEnds({ watch }: Pick<TokenVerifier, 'watch'>, deadlines: Deadlines): TokenEnds {
  const expiries = new Map<number, Expiry>()

  const expiryAt = (instant: number): Expiry => {
    const known = expiries.get(instant)
    if (known !== undefined) return known
    const holders = new Set<TokenHolder>()
    const onEnd = () => {
      expiries.delete(instant)
      for (const holder of holders) holder.onTokenEnd('expired')
    }
    const expiry = { holders, endsAt: instant, onEnd, heapIndex: -1 }
    deadlines.add(expiry)
    expiries.set(instant, expiry)
    return expiry
  }

  return {
    watch(holder) {
      if (holder.caller.kind === 'anonymous') return
      expiryAt(holder.caller.expiresAt).holders.add(holder)
      if (holder.token !== null) watch.add(holder.token, holder)
    },
    unwatch(holder) {
      if (holder.caller.kind === 'anonymous') return
      const { expiresAt } = holder.caller
      const expiry = expiries.get(expiresAt)
      expiry?.holders.delete(holder)
      if (expiry?.holders.size === 0) {
        deadlines.remove(expiry)
        expiries.delete(expiresAt)
      }
      if (holder.token !== null) watch.delete(holder.token, holder)
    },
  }
}

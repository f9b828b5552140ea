import type { Caller } from '../../access/caller.ts'
import type { TokenVerifier } from '../../access/verify-token.ts'
import type { Deadline, Deadlines } from '../../streams/deadlines.ts'

/** Why a token that was accepted no longer is: its time is over, or the key that signed it was withdrawn. */
export type TokenEndReason = 'expired' | 'withdrawn'

/** A stream or a socket, which ends with its caller's token also while it waits. */
export type TokenHolder = {
  readonly caller: Caller
  /** Null when the request had none, or more than one. */
  readonly token: string | null
  onTokenEnd(reason: TokenEndReason): void
}

/** The ends of the tokens of all streams and sockets. */
export type TokenEnds = {
  /** Calls `onTokenEnd` of the holder when its token ends, as long as it is watched. */
  watch(holder: TokenHolder): void
  unwatch(holder: TokenHolder): void
}

type Expiry = Deadline & { readonly holders: Set<TokenHolder> }

/** Watches tokens by their expiry, and by the keys of their issuer. */
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

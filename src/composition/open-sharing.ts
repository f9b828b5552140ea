import type { KeyRing } from '../keys/key-ring.ts'
import { sharedDigest } from '../keys/shared-digest.ts'
import type { RedisConnection } from '../redis/redis-connection.ts'
import { SHARE_NOTHING, shareCounts } from '../redis/shared-counts.ts'
import { createSharedState } from '../redis/shared-state.ts'
import type { Site } from '../upstream/client/sites.ts'
import { PAYIN_METHODS, PAYOUT_METHODS } from '../upstream/methods/method-schemas.ts'
import { shareMethods } from '../upstream/methods/method-sharing.ts'
import { type BreakerShare, shareBreakers } from '../upstream/resilience/breaker-sharing.ts'

type SharingParts = {
  readonly redis: RedisConnection | null
  readonly logId: string
  readonly keys: KeyRing
  /** Address of the payments API. */
  readonly upstreamUrl: string
}

/** What the nodes on one database share through Redis; without it every process has its own. */
export function openSharing({ redis, logId, keys, upstreamUrl }: SharingParts) {
  if (redis === null) return { shareCounts: SHARE_NOTHING, shareBreaker: () => null, methods: null, close: () => {} }
  const state = createSharedState({ redis, logId, digest: (text) => sharedDigest(keys, text) })
  const counts = shareCounts(state)
  const breakers = shareBreakers(state)
  const subjectOf = ({ id, appId, currencies }: Site) => JSON.stringify([upstreamUrl, id, appId, currencies])
  return {
    shareCounts: counts.share,
    shareBreaker: (site: Site): BreakerShare => breakers.of(subjectOf(site)),
    methods: {
      payin: shareMethods({ state, kind: 'payin-1', subjectOf, schema: PAYIN_METHODS }),
      directPayin: shareMethods({ state, kind: 'direct-payin-1', subjectOf, schema: PAYIN_METHODS }),
      payout: shareMethods({ state, kind: 'payout-1', subjectOf, schema: PAYOUT_METHODS }),
    },
    close() {
      counts.close()
      breakers.close()
    },
  }
}

export type Sharing = ReturnType<typeof openSharing>

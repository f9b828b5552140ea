import type { KeyRing } from '../keys/key-ring.ts'
import { sharedDigest } from '../keys/shared-digest.ts'
import type { RedisConnection } from '../redis/redis-connection.ts'
import { SHARE_NOTHING, shareCounts } from '../redis/shared-counts.ts'
import { createSharedState } from '../redis/shared-state.ts'
import type { Site } from '../upstream/client/sites.ts'
import { type LoadSubject, shareLoads } from '../upstream/methods/load-sharing.ts'
import {
  PAYIN_METHODS,
  PAYIN_REQUIREMENTS,
  PAYOUT_METHODS,
  PAYOUT_REQUIREMENTS,
} from '../upstream/methods/method-schemas.ts'
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
  const partsOf = ({ id, appId, currencies }: Site) => [upstreamUrl, id, appId, currencies]
  const nameOf = ({ site, methodCode }: LoadSubject) =>
    JSON.stringify([...partsOf(site), ...(methodCode === undefined ? [] : [methodCode])])
  return {
    shareCounts: counts.share,
    shareBreaker: (site: Site): BreakerShare => breakers.of(nameOf({ site })),
    methods: {
      link: shareLoads({ state, kind: 'payin-2', nameOf, schema: PAYIN_METHODS }),
      direct: shareLoads({ state, kind: 'direct-payin-2', nameOf, schema: PAYIN_METHODS }),
      payout: shareLoads({ state, kind: 'payout-1', nameOf, schema: PAYOUT_METHODS }),
      payinFields: shareLoads({ state, kind: 'payin-fields-1', nameOf, schema: PAYIN_REQUIREMENTS }),
      payoutFields: shareLoads({ state, kind: 'payout-fields-1', nameOf, schema: PAYOUT_REQUIREMENTS }),
    },
    close() {
      counts.close()
      breakers.close()
    },
  }
}

export type Sharing = ReturnType<typeof openSharing>

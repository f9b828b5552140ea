import { z } from 'zod'
import { Secret } from '../../keys/secret.ts'
import type { ExactJson } from '../../lib/exact-json.ts'
import { decimal, isRecord, lenient } from '../wire/values/wire-fields.ts'
import { shaped } from './assertions.ts'
import type { Site } from './sites.ts'
import type { Transport } from './transport.ts'
import { notSent, UpstreamFault } from './upstream-fault.ts'

export type AccessTokens = {
  /**
   * The access token of a site (docs/payments-api.md, section 4.2). Rejects with an `UpstreamFault` that is never
   * `unknown`: without a token nothing that needs one was sent.
   */
  current(site: Site): Promise<Secret>
  /** A token other than the one that the payments API has just refused; the same for everyone who was refused with it. */
  inPlaceOf(site: Site, refused: Secret): Promise<Secret>
}

export type AccessTokenOptions = {
  readonly transport: Transport
  /** Monotonic milliseconds. */
  readonly clock?: () => number
}

/** Past this share of its life a token is renewed, behind the back of the callers who still use it. */
const RENEWED_AT = 0.8

/** The documented life is the longest that is believed; the shortest keeps a wrong one from asking before every payment. */
const LONGEST_LIFE_S = 3_600
const SHORTEST_LIFE_S = 5

/** Short of the deadline of the request that waits for the token. */
const WITHIN_MS = 5_000

const PATH = '/v1/payment_gateways/access_token'

/** Keeps the access tokens, one for each site, in memory alone. Concurrent callers share one call to the payments API. */
export function createAccessTokens({ transport, clock = () => performance.now() }: AccessTokenOptions): AccessTokens {
  const held = new Map<string, Held>()
  const running = new Map<string, Promise<Secret>>()

  function renewed(site: Site): Promise<Secret> {
    const known = running.get(site.id)
    if (known !== undefined) return known
    const renewal = renew(site).finally(() => running.delete(site.id))
    running.set(site.id, renewal)
    return renewal
  }

  async function renew(site: Site): Promise<Secret> {
    // Its life is counted from before the call, so that it never ends earlier at the payments API than here.
    const askedAt = clock()
    const { token, lifeMs } = await ask(transport, site)
    held.set(site.id, { token, renewAt: askedAt + lifeMs * RENEWED_AT, endsAt: askedAt + lifeMs })
    return token
  }

  return {
    current: async (site) => {
      const known = held.get(site.id)
      if (known === undefined || clock() >= known.endsAt) return renewed(site)
      // A renewal that fails here is tried again by the next caller, who is told of it only once the token has ended.
      if (clock() >= known.renewAt) renewed(site).catch(() => undefined)
      return known.token
    },

    inPlaceOf: async (site, refused) => {
      if (held.get(site.id)?.token === refused) held.delete(site.id)
      const known = held.get(site.id)
      return known === undefined ? renewed(site) : known.token
    },
  }
}

type Held = { readonly token: Secret; readonly renewAt: number; readonly endsAt: number }

async function ask(transport: Transport, site: Site): Promise<{ token: Secret; lifeMs: number }> {
  try {
    const { status, json } = await transport.request(site, { method: 'GET', path: PATH, withinMs: WITHIN_MS })
    return shaped(readAccessToken(json), status)
  } catch (error) {
    if (error instanceof UpstreamFault && error.kind === 'unknown') throw notSent('no-token')
    throw error
  }
}

const answer = z.object({
  access_token: lenient((json) => (typeof json === 'string' && /^[\x21-\x7e]{1,8192}$/.test(json) ? json : null)),
  expires_in: decimal,
})

/**
 * Reads the answer to a request for a token, with its life in milliseconds: `expires_in` within sane bounds, and the
 * shortest where it cannot be read (docs/payments-api.md, section 2.8). Null without a token that can be a header.
 */
export function readAccessToken(json: ExactJson): { token: Secret; lifeMs: number } | null {
  if (!isRecord(json)) return null
  const { access_token: token, expires_in: seconds } = answer.parse(json)
  if (token === null) return null
  const life = Math.min(Math.max(Number(seconds ?? 0), SHORTEST_LIFE_S), LONGEST_LIFE_S)
  return { token: new Secret(token), lifeMs: life * 1000 }
}

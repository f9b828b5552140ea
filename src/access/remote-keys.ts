import type { JWTVerifyGetKey, FetchImplementation } from 'jose'
import * as errors from 'jose/errors'
import { createRemoteJWKSet, customFetch } from 'jose/jwks/remote'
import { fetch } from 'undici'
import { createOutboundAgent, NO_PROXIES, type Proxies } from '../lib/outbound-agent.ts'
import type { Logger } from '../observability/logger.ts'
import { TokenKeysUnavailableError } from './caller.ts'

/**
 * `elapsed` is a monotonic clock in milliseconds, so that a step of the wall clock causes neither too many requests to the issuer nor too
 * few.
 */
type RemoteKeysOptions = {
  readonly elapsed: () => number
  readonly log?: Pick<Logger, 'warn'> | undefined
  readonly proxies?: Proxies | undefined
}

/** The keys for the verification of tokens. */
export type VerificationKeys = {
  /**
   * Returns the key of a token. Rejects with `TokenKeysUnavailableError` if no usable set is known, or if the key might be in a set that
   * could not be fetched, and with the errors of jose if the set has no key for the token or more than one.
   */
  readonly keyOf: JWTVerifyGetKey
  /** Increases with every change of the keys: results of an earlier generation have to be verified again. */
  readonly generation: () => number
  /**
   * Fetches the set if it is due. Returns null if the known set may be used meanwhile; otherwise a promise that resolves after the attempt,
   * and never rejects.
   */
  freshen(): Promise<void> | null
  /** Fetches the set now. Resolves to false if that fails: then the known set stays in use. */
  refetch(): Promise<boolean>
}

const FETCH_TIMEOUT_MS = 5_000
/**
 * Minimum time between two requests to the issuer, also after failures, so that a flood of unknown key ids does not reach it. `refetch` is
 * exempt.
 */
const COOLDOWN_MS = 30_000
/** The set is fetched in the background from this age on, so that requests need not wait for it. */
const DUE_MS = 4 * 60_000
/**
 * A set older than this is not used before a fetch was attempted: if the issuer is available, a withdrawn key is accepted for at most five
 * minutes.
 */
const FRESH_MS = 4.5 * 60_000
/** Time for which known keys are used while the issuer does not respond. */
const USABLE_MS = 60 * 60_000
/** Enough for hundreds of keys with their certificates. */
const MAX_SET_BYTES = 256 * 1024

/** RFC 9864 names one algorithm anew: an issuer may write the one name in its keys and the other in its tokens. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['Ed25519', 'EdDSA'],
  ['EdDSA', 'Ed25519'],
])

/**
 * Creates the source for the key set that the issuer publishes at `url` (RFC 7517). The set is fetched for the first token, when it is four
 * minutes old, and when a token names a key that is not in it, but except for `refetch` never twice within 30 seconds. Redirects are not
 * followed, and at most 256 KiB are read. If fetching fails, the known set is used for up to an hour, and tokens whose key is in it are
 * verified without a wait.
 */
export function createRemoteKeys(url: string, options: RemoteKeysOptions): VerificationKeys {
  const { elapsed } = options
  // jose's own timing is disabled: it counts only from the last success, so an unavailable issuer would get a request for every token.
  const published = createRemoteJWKSet(new URL(url), {
    timeoutDuration: FETCH_TIMEOUT_MS,
    cooldownDuration: Infinity,
    cacheMaxAge: Infinity,
    [customFetch]: createBoundedFetch(MAX_SET_BYTES, options.proxies),
  })
  let attemptedAt = -Infinity
  let loadedAt = -Infinity
  let inTrouble = false
  let loading: Promise<void> | null = null
  let generation = 0
  let content = ''
  const age = () => elapsed() - loadedAt

  function noteChange(): void {
    const loaded = JSON.stringify(published.jwks())
    if (loaded === content) return
    content = loaded
    generation += 1
  }

  async function load(): Promise<void> {
    const begunAt = elapsed()
    attemptedAt = begunAt
    try {
      await published.reload()
      // The content of the response may be as old as the request.
      loadedAt = begunAt
      inTrouble = false
      noteChange()
    } catch (error) {
      inTrouble = true
      options.log?.warn(
        { code: 'TOKEN_KEYS_UNAVAILABLE', err: error },
        'The keys that verify client tokens could not be fetched.',
      )
    } finally {
      loading = null
    }
  }

  async function refresh(): Promise<void> {
    if (loading === null && elapsed() - attemptedAt < COOLDOWN_MS) return
    loading ??= load()
    await loading
  }

  const keyNamed: JWTVerifyGetKey = async (header, token) => {
    try {
      return await published(header, token)
    } catch (error) {
      const alg = OTHER_NAMES.get(header.alg)
      if (alg === undefined || !(error instanceof errors.JWKSNoMatchingKey)) throw error
      return published({ ...header, alg }, token)
    }
  }

  return {
    async keyOf(header, token) {
      if (age() >= USABLE_MS) throw new TokenKeysUnavailableError()
      try {
        return await keyNamed(header, token)
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      }
      await refresh()
      try {
        return await keyNamed(header, token)
      } catch (error) {
        throw inTrouble && error instanceof errors.JWKSNoMatchingKey ? new TokenKeysUnavailableError() : error
      }
    },
    generation: () => generation,
    freshen() {
      if (age() < DUE_MS) return null
      const refreshed = refresh()
      return age() >= FRESH_MS && (!inTrouble || age() >= USABLE_MS) ? refreshed : null
    },
    async refetch() {
      // A response to an earlier request may be older than the change.
      await loading
      loading ??= load()
      await loading
      return !inTrouble
    },
  }
}

/** The issuer's response is larger than any plausible key set. */
class AnswerTooLargeError extends Error {
  override readonly name = 'AnswerTooLargeError'
  readonly code = 'ANSWER_TOO_LARGE'
}

/**
 * Creates a `fetch` that reads a body of at most `maxBytes`, and rejects with `AnswerTooLargeError` for a longer one. The rest of a body is
 * cancelled; the body of any status except 200 is not read. The caller's signal also aborts the reading of the body. Certificates are
 * verified whatever NODE_TLS_REJECT_UNAUTHORIZED says.
 */
export function createBoundedFetch(maxBytes: number, proxies: Proxies = NO_PROXIES): FetchImplementation {
  // Requests are minutes apart: the issuer would have closed a kept connection by then.
  const dispatcher = createOutboundAgent(proxies, { pipelining: 0, connectMs: FETCH_TIMEOUT_MS })
  return async (url, { headers, ...init }) => {
    const response = await fetch(url, { ...init, headers: Object.fromEntries(headers), dispatcher })
    if (response.status === 200 && response.body !== null)
      return new Response(await readAtMost(response.body, maxBytes))
    await response.body?.cancel()
    return new Response(null, { status: response.status })
  }
}

async function readAtMost(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body) {
    size += part.byteLength
    if (size > maxBytes) throw new AnswerTooLargeError()
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

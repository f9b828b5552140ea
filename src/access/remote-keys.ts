import { createRemoteJWKSet, customFetch, errors } from 'jose'
import type { JWTVerifyGetKey } from 'jose'
import type { Logger } from '../log.ts'
import { createBoundedFetch } from './bounded-fetch.ts'
import { TokenKeysUnavailableError } from './errors.ts'

/** `elapsed` is a monotonic clock in milliseconds, so that a step of the wall clock neither floods nor starves the issuer. */
export type RemoteKeysOptions = { readonly elapsed: () => number; readonly log?: Pick<Logger, 'warn'> | undefined }

const FETCH_TIMEOUT_MS = 5_000
/** Between two requests to the issuer, whatever became of the first: a flood of unknown key ids must not reach it. */
const COOLDOWN_MS = 30_000
const FRESH_MS = 10 * 60_000
/** How long known keys still serve while the issuer does not answer. */
const USABLE_MS = 60 * 60_000
/** Room for hundreds of keys, with their certificates. */
const MAX_SET_BYTES = 256 * 1024

/**
 * Picks the key of a token from the set that the issuer publishes at `url` (RFC 7517). The set is fetched at the first
 * token, after 10 minutes, and when a token names a key that is not in it, but never twice within 30 seconds. Redirects
 * are not followed, and not more than 256 KiB is read. While the issuer is in trouble the known set serves for an hour,
 * and nobody whose key is in it waits for the issuer. The function throws `TokenKeysUnavailableError` when no usable set
 * is known, or when the key might be in a set that could not be fetched, and the errors of jose when the set has no key
 * for the token or more than one.
 */
export function createRemoteKeys(url: string, options: RemoteKeysOptions): JWTVerifyGetKey {
  const { elapsed } = options
  // Its own timing is switched off: it counts from the last success alone, so an issuer that is down would be flooded.
  const published = createRemoteJWKSet(new URL(url), {
    timeoutDuration: FETCH_TIMEOUT_MS,
    cooldownDuration: Infinity,
    cacheMaxAge: Infinity,
    [customFetch]: createBoundedFetch(MAX_SET_BYTES),
  })
  let attemptedAt = -Infinity
  let loadedAt = -Infinity
  let inTrouble = false
  let loading: Promise<void> | null = null
  const age = () => elapsed() - loadedAt

  async function load(): Promise<void> {
    attemptedAt = elapsed()
    try {
      await published.reload()
      loadedAt = elapsed()
      inTrouble = false
    } catch (error) {
      inTrouble = true
      options.log?.warn(
        { code: 'TOKEN_KEYS_UNAVAILABLE', err: error },
        'The keys that client tokens are checked with could not be fetched.',
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

  return async (header, token) => {
    if (age() >= FRESH_MS) {
      const refreshed = refresh()
      if (!inTrouble || age() >= USABLE_MS) await refreshed
    }
    if (age() >= USABLE_MS) throw new TokenKeysUnavailableError()
    try {
      return await published(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
    }
    await refresh()
    try {
      return await published(header, token)
    } catch (error) {
      throw inTrouble && error instanceof errors.JWKSNoMatchingKey ? new TokenKeysUnavailableError() : error
    }
  }
}

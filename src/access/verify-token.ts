import { createSecretKey, hash, type KeyObject } from 'node:crypto'
import type { JWTVerifyGetKey, JWTVerifyOptions, JWTVerifyResult } from 'jose'
import * as errors from 'jose/errors'
import { jwtVerify } from 'jose/jwt/verify'
import { LRUCache } from 'lru-cache'
import type { ClientsConfig } from '../config.ts'
import type { Proxies } from '../lib/outbound-agent.ts'
import type { Logger } from '../observability/logger.ts'
import {
  type ClientCaller,
  callerFromClaims,
  checkType,
  isCompactJws,
  namesAreUnique,
  type ScopeRules,
  type TokenRefusal,
  InvalidTokenError,
  TokenKeysUnavailableError,
} from './caller.ts'
import { createRemoteKeys, type VerificationKeys } from './remote-keys.ts'

/** Verifies client tokens. */
export type TokenVerifier = {
  /**
   * Returns the caller of a token. Rejects with `InvalidTokenError` if the token is not accepted, and with `TokenKeysUnavailableError` if
   * the issuer's keys are unavailable.
   */
  verify(token: string): Promise<ClientCaller>
  /** Returns the entry of a token that was verified before with the current keys, synchronously; null for every other token. */
  recall(token: string): VerifiedToken | null
  /**
   * Returns the caller of a recalled token; null if it has expired, or if it must be verified again because the keys have changed or are
   * due.
   */
  callerOf(token: VerifiedToken): ClientCaller | null
  /** The tokens of open streams. */
  readonly watch: Pick<TokenWatch, 'add' | 'delete'>
  /**
   * Fetches the issuer's keys now, and verifies the tokens of open streams again if the keys have changed. Resolves to false if the keys
   * are unavailable: then the known keys stay in use.
   */
  refetchKeys(): Promise<boolean>
}

export type TokenVerifierOptions = {
  /** Current time, in milliseconds since the epoch. Default: the system clock. */
  readonly clock?: () => number
  /** Monotonic clock in milliseconds. Default: the process's own. */
  readonly elapsed?: () => number
  readonly log?: Pick<Logger, 'debug' | 'warn'>
  /** Is told of each refused token. */
  readonly onRefused?: (reason: TokenRefusal) => void
  /** The proxies through which the issuer's keys are fetched. Default: none. */
  readonly proxies?: Proxies
  /** Milliseconds between two checks of the tokens of open streams. Default: 15 seconds. */
  readonly watchMs?: number
}

export const MAX_TOKEN_BYTES = 8 * 1024
/** Milliseconds between two checks of the tokens of open streams. */
export const WATCH_MS = 15_000
/** Maximum by which the issuer's clock may be ahead of ours, in seconds. There is no tolerance for the expiry. */
const CLOCK_TOLERANCE_S = 5
const SECRET_ALGORITHMS = ['HS256']
const PUBLISHED_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'Ed25519', 'EdDSA']

/**
 * Creates the verifier of client tokens (RFC 7519, with the recommendations of RFC 8725): the accepted algorithms depend on the settings
 * and not on the token, keys that a token contains or refers to are ignored, `exp` is required, and duplicate keys are rejected. A verified
 * token is cached until the keys change, and so is an expired one with a valid signature; other tokens are never cached.
 */
export function createTokenVerifier(clients: ClientsConfig, options: TokenVerifierOptions = {}): TokenVerifier {
  const clock = options.clock ?? Date.now
  const keys = keySource(clients, options)
  const verified = createVerifiedTokens()
  const rules = rulesFor(clients)

  const callerOf = ({ caller, expiresAt, generation }: VerifiedToken): ClientCaller | null =>
    keys.freshen() === null && generation === keys.generation() && expiresAt > clock() ? caller : null

  const verify = async (token: string): Promise<ClientCaller> => {
    try {
      return await check(token)
    } catch (error) {
      if (error instanceof InvalidTokenError) options.onRefused?.(error.reason)
      throw error
    }
  }
  const check = async (token: string): Promise<ClientCaller> => {
    if (Buffer.byteLength(token, 'utf8') > MAX_TOKEN_BYTES || !isCompactJws(token))
      throw new InvalidTokenError('invalid')
    await keys.freshen()
    const generation = keys.generation()
    const known = verified.find(token, generation)
    if (known !== null && known.expiresAt <= clock()) throw new InvalidTokenError('expired')
    if (known !== null && known.caller !== null) return known.caller
    try {
      const result = await checkSignature(token, keys.keyOf, { ...rules, currentDate: new Date(clock()) })
      if (!namesAreUnique(token)) throw new InvalidTokenError('invalid')
      const caller = acceptedCaller(result, clients, clock())
      verified.remember(token, caller, generation)
      return caller
    } catch (error) {
      const refusal = refusalFor(error, options.log)
      if (error instanceof errors.JWTExpired && error.payload.exp !== undefined)
        verified.rememberExpired(token, error.payload.exp * 1000, generation)
      else if (refusal instanceof InvalidTokenError) verified.forget(token)
      throw refusal
    }
  }

  const watch = createTokenWatch({
    verify,
    generation: async () => {
      await keys.freshen()
      return keys.generation()
    },
    intervalMs: options.watchMs ?? WATCH_MS,
  })
  return {
    verify,
    watch,
    recall: (token) => verified.find(token, keys.generation()),
    callerOf,
    async refetchKeys() {
      const had = await keys.refetch()
      await watch.check()
      return had
    },
  }
}

/** The streams of an expired token end without this check. */
function isNotWithdrawn(error: unknown): boolean {
  if (error instanceof InvalidTokenError) return error.reason !== 'invalid'
  throw error
}

function keySource(clients: ClientsConfig, { elapsed, log, proxies }: TokenVerifierOptions): VerificationKeys {
  if (clients.kind === 'jwks')
    return createRemoteKeys(clients.url, { elapsed: elapsed ?? (() => performance.now()), log, proxies })
  const secrets = clients.secrets.map((secret) => createSecretKey(secret.reveal(), 'utf8'))
  return { keyOf: async () => onlyOneOf(secrets), generation: () => 0, freshen: () => null, refetch: async () => true }
}

/** A token does not say which of several secrets has signed it: throws the error that `checkWithEach` takes the candidates from. */
function onlyOneOf(secrets: readonly KeyObject[]): KeyObject {
  const [only, ...others] = secrets
  if (only !== undefined && others.length === 0) return only
  throw Object.assign(new errors.JWKSMultipleMatchingKeys(), {
    async *[Symbol.asyncIterator]() {
      yield* secrets
    },
  })
}

function rulesFor(clients: ClientsConfig): JWTVerifyOptions {
  return {
    algorithms: clients.kind === 'secret' ? SECRET_ALGORITHMS : PUBLISHED_ALGORITHMS,
    clockTolerance: CLOCK_TOLERANCE_S,
    ...(clients.issuer === null ? {} : { issuer: clients.issuer }),
    ...(clients.audience === null ? {} : { audience: clients.audience }),
  }
}

async function checkSignature(
  token: string,
  keyOf: JWTVerifyGetKey,
  rules: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(token, keyOf, rules)
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    return checkWithEach(token, error, rules)
  }
}

/** Verifies a token that may be signed with any of several keys: one of them must have signed it. */
async function checkWithEach(
  token: string,
  candidates: errors.JWKSMultipleMatchingKeys,
  rules: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  for await (const key of candidates) {
    try {
      return await jwtVerify(token, key, rules)
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error
    }
  }
  throw new InvalidTokenError('invalid')
}

function acceptedCaller({ payload, protectedHeader }: JWTVerifyResult, rules: ScopeRules, now: number): ClientCaller {
  checkType(protectedHeader)
  const caller = callerFromClaims(payload, rules)
  if (caller.expiresAt <= now) throw new InvalidTokenError('expired')
  return caller
}

function refusalFor(error: unknown, log: TokenVerifierOptions['log']): Error {
  if (error instanceof TokenKeysUnavailableError || error instanceof InvalidTokenError) return error
  log?.debug({ code: 'INVALID_TOKEN', err: error }, 'A client token was refused.')
  if (error instanceof errors.JWTExpired) return new InvalidTokenError('expired')
  const isEarly =
    error instanceof errors.JWTClaimValidationFailed && error.claim === 'nbf' && error.reason === 'check_failed'
  return new InvalidTokenError(isEarly ? 'not_yet_valid' : 'invalid')
}

/** Cache of tokens whose signature was verified, so that it is not verified on every request. */
export type VerifiedTokens = {
  /** Returns the entry of a token that was verified with this generation of keys, also after its expiry; null for any other token. */
  find(token: string, generation: number): VerifiedToken | null
  remember(token: string, caller: ClientCaller, generation: number): void
  /** Adds a token that had already expired when its signature was verified. `expiresAt` is in milliseconds since the epoch. */
  rememberExpired(token: string, expiresAt: number, generation: number): void
  forget(token: string): void
}

export type VerifiedToken = {
  /** Null if the token had already expired when it was verified. */
  readonly caller: ClientCaller | null
  /** In milliseconds since the epoch. */
  readonly expiresAt: number
  /** Generation of the keys with which it was verified. */
  readonly generation: number
}

const CAPACITY = 10_000

/**
 * Creates a cache of at most `capacity` tokens, 10,000 by default; the one that was verified longest ago is removed first. Expired tokens
 * stay in it, because clients may go on sending them. Digests are stored, not the tokens.
 */
export function createVerifiedTokens(capacity: number = CAPACITY): VerifiedTokens {
  const entries = new LRUCache<string, VerifiedToken>({ max: capacity })
  const put = (token: string, entry: VerifiedToken) => void entries.set(digestOf(token), entry)

  return {
    find(token, generation) {
      const entry = entries.peek(digestOf(token))
      return entry?.generation === generation ? entry : null
    },
    remember: (token, caller, generation) => put(token, { caller, expiresAt: caller.expiresAt, generation }),
    rememberExpired: (token, expiresAt, generation) => put(token, { caller: null, expiresAt, generation }),
    forget: (token) => void entries.delete(digestOf(token)),
  }
}

function digestOf(token: string): string {
  return hash('sha256', token, 'base64')
}

/** Called when an accepted token is rejected before it expires, because its key was withdrawn. */
export type TokenWatcher = { onTokenEnd(reason: 'withdrawn'): void }

/** Detects tokens of open streams that have become invalid. */
type TokenWatch = {
  /** Calls `onTokenEnd` of the watcher if the token is rejected although it has not expired. */
  add(token: string, watcher: TokenWatcher): void
  delete(token: string, watcher: TokenWatcher): void
  /** Checks the tokens whose verification may have changed since the last check. */
  check(): Promise<void>
}

export type TokenWatchOptions = {
  readonly verify: TokenVerifier['verify']
  /** Updates the keys if needed, and returns a number that changes with them. */
  readonly generation: () => Promise<number>
  /** Milliseconds between two checks. */
  readonly intervalMs: number
}

/**
 * Creates a watch that verifies the tokens of streams again after the keys have changed. While they are unchanged, a check verifies only
 * the tokens added since the last one.
 */
export function createTokenWatch({ verify, generation, intervalMs }: TokenWatchOptions): TokenWatch {
  // Most tokens have one stream, and a Set per token would need more memory than everything else.
  const watched = new Map<string, TokenWatcher | Set<TokenWatcher>>()
  const unchecked = new Set<string>()
  let checkedGeneration: number | null = null
  let timer: NodeJS.Timeout | undefined

  const refuse = (token: string) => {
    const watchers = watched.get(token)
    for (const watcher of watchers instanceof Set ? [...watchers] : [watchers]) watcher?.onTokenEnd('withdrawn')
  }

  const check = async () => {
    const current = await generation()
    const due = current === checkedGeneration ? [...unchecked] : [...watched.keys()]
    unchecked.clear()
    checkedGeneration = current
    for (const token of due) {
      try {
        if (!(await verify(token).then(() => true, isNotWithdrawn))) refuse(token)
      } catch {
        // Cannot be verified now: it is checked again later.
        if (watched.has(token)) unchecked.add(token)
      }
    }
  }

  return {
    add(token, watcher) {
      const others = watched.get(token)
      if (others instanceof Set) others.add(watcher)
      else watched.set(token, others === undefined ? watcher : new Set([others, watcher]))
      // The keys may have changed between its verification and now.
      unchecked.add(token)
      timer ??= setInterval(() => void check(), intervalMs).unref()
    },
    delete(token, watcher) {
      const watchers = watched.get(token)
      if (watchers instanceof Set) watchers.delete(watcher)
      if (watchers !== watcher && !(watchers instanceof Set && watchers.size === 0)) return
      watched.delete(token)
      unchecked.delete(token)
      if (watched.size > 0) return
      clearInterval(timer)
      timer = undefined
    },
    check,
  }
}

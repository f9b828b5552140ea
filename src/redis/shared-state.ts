import type { RedisClient } from './redis-client.ts'
import type { RedisConnection } from './redis-connection.ts'
import { RedisFailure } from './redis-failure.ts'

/** What several nodes share in Redis: how its keys are named, sealed and read. All keys expire. */
export type SharedState = {
  readonly redis: RedisConnection
  /**
   * Returns the key of a kind of value for a subject. Only a keyed digest of the subject is in it. On a cluster all keys of a deployment are
   * in one slot.
   */
  keyOf(kind: string, subject: string): string
  /** Returns a keyed digest, by which a value that somebody else wrote is recognised. */
  seal(text: string): string
  /** Runs commands that somebody waits for: rejects with `RedisFailure` after a tenth of a second. */
  quickly<Result>(use: (commands: RedisClient) => Promise<Result>): Promise<Result>
}

export type SharedStateOptions = {
  readonly redis: RedisConnection
  /** Deployments that share a server have different ones. */
  readonly logId: string
  /** Returns the keyed digest of a text. */
  readonly digest: (text: string) => string
}

const QUICK_MS = 100

export function createSharedState({ redis, logId, digest }: SharedStateOptions): SharedState {
  return {
    redis,
    keyOf: (kind, subject) => `payments:{${logId}}:${kind}:${digest(`${kind}\n${subject}`)}`,
    seal: digest,
    async quickly(use) {
      const { promise: late, reject } = Promise.withResolvers<never>()
      // An answer that has arrived by then counts: an event loop that was busy is no slow Redis.
      const timer = setTimeout(() => setImmediate(reject, new RedisFailure('ETIMEDOUT')), QUICK_MS)
      try {
        return await Promise.race([redis.run(use), late])
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

/** Deletes a lease, but not that of another holder: KEYS the lease, ARGV its holder. */
const RELEASE = `
if redis.call('TYPE', KEYS[1]).ok == 'string' and redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0`

/** Takes a lease for so many milliseconds. Resolves to whether it was free; rejects with `RedisFailure`. */
export async function takeLease(state: SharedState, key: string, holder: string, ms: number): Promise<boolean> {
  return (await state.quickly((commands) => commands.set(key, holder, 'PX', ms, 'NX'))) === 'OK'
}

/** Ends a lease early, in the background: if Redis does not answer, it expires. */
export function releaseLease({ redis }: SharedState, key: string, holder: string): void {
  redis.run((commands) => commands.eval(RELEASE, 1, key, holder)).catch(() => {})
}

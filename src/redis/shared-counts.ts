import { randomUUID } from 'node:crypto'
import type { RedisConnection } from './redis-connection.ts'

/** How many of something the other nodes have, per holder: of sockets per address, for example. */
export type SharedCounts = {
  /** Returns how many the other nodes have, as last heard; 0 if it is not known. */
  others(holder: string): number
  /** Returns the highest result of `others` for any holder. */
  highest(): number
  /** Tells how many this node has. */
  set(holder: string, count: number): void
}

/** Counts of one process alone. */
export const UNSHARED: SharedCounts = { others: () => 0, highest: () => 0, set: () => {} }

/** Creates the counts of one limit. `limit` is what a holder may have; 0 for any number. */
export type ShareCounts = (name: string, limit: number) => SharedCounts

export const SHARE_NOTHING: ShareCounts = () => UNSHARED

type CountSharing = {
  readonly share: ShareCounts
  close(): void
}

/** Share of a limit from which a node tells its count: below it, Redis hears nothing of a holder. */
const TOLD_SHARE = 1 / 10
/** Share of a limit by which a count changes before it is told at once; smaller changes wait for the next round. */
const STEP_SHARE = 1 / 50
const ROUND_MS = 250
/** A count is told again after this many milliseconds, and forgotten when it was not told for so many. */
const REFRESH_MS = 1_000
const EXPIRY_MS = 3_000
const MAX_BATCH = 200
/** Holders of one limit that are told; the rest are counted by each node alone. */
const MAX_HOLDERS = 10_000

type Holder = {
  readonly key: string
  count: number
  told: number
  toldAt: number
  others: number
  heardAt: number
}

/**
 * Shares counts through Redis in the background, so that a limit decides at once and from memory. Nodes together may exceed a limit by what
 * they do not tell (a twelfth each, but always one) and by what comes during a round trip. Without Redis each node counts alone.
 */
export function shareCounts(state: SharedState): CountSharing {
  const node = randomUUID()
  const limits: Map<string, Holder>[] = []
  let sending = false
  let again = false

  const tell = async (batch: readonly (readonly [Map<string, Holder>, string, Holder])[]): Promise<void> => {
    const time = await state.now()
    const sent = batch.map(([, , { count }]) => count)
    const keys = batch.map(([, , { key }]) => key)
    const values = batch.map(([, , { key, count }]) =>
      count === 0 ? '' : state.stamp(`${count}`, `${key}\n${node}`, time + EXPIRY_MS),
    )
    const told = await state.redis.run((commands) =>
      commands.eval(COUNT_SCRIPT, keys.length, ...keys, node, EXPIRY_MS, ...values),
    )
    const now = performance.now()
    for (const [index, [holders, name, holder]] of batch.entries()) {
      const others = sumOf(state, Array.isArray(told) ? told[index] : [], { key: holder.key, time })
      Object.assign(holder, { told: sent[index], toldAt: now, others, heardAt: now })
      if (holder.count === 0 && holder.told === 0) holders.delete(name)
    }
  }
  const due = () => {
    const now = performance.now()
    return limits.flatMap((holders) =>
      [...holders]
        .filter(([, { count, told, toldAt }]) => count !== told || now - toldAt >= REFRESH_MS)
        .map(([name, holder]) => [holders, name, holder] as const),
    )
  }
  const round = async (): Promise<void> => {
    if (sending) {
      again = true
      return
    }
    sending = true
    try {
      do {
        again = false
        const all = state.redis.isConnected ? due() : []
        for (let from = 0; from < all.length; from += MAX_BATCH) await tell(all.slice(from, from + MAX_BATCH))
      } while (again)
    } catch {
      // The next round tries again, if Redis answers by then.
    } finally {
      sending = false
    }
  }
  const rounds = setInterval(() => void round(), ROUND_MS)
  rounds.unref()

  return {
    share(name, limit) {
      if (limit === 0) return UNSHARED
      const holders = new Map<string, Holder>()
      limits.push(holders)
      return countsOf(
        holders,
        limit,
        (holder) => state.keyOf(`count:${name}`, holder),
        () => void round(),
      )
    },
    close: () => clearInterval(rounds),
  }
}

function countsOf(
  holders: Map<string, Holder>,
  limit: number,
  keyOf: (holder: string) => string,
  onStep: () => void,
): SharedCounts {
  const toldFrom = Math.max(1, Math.floor(limit * TOLD_SHARE))
  const step = Math.max(1, Math.floor(limit * STEP_SHARE))
  const current = ({ others, heardAt }: Holder) => (performance.now() - heardAt <= EXPIRY_MS ? others : 0)
  return {
    others(name) {
      const holder = holders.get(name)
      return holder === undefined ? 0 : current(holder)
    },
    highest() {
      let highest = 0
      for (const holder of holders.values()) highest = Math.max(highest, current(holder))
      return highest
    },
    set(name, count) {
      let holder = holders.get(name)
      if (holder === undefined) {
        if (count < toldFrom || holders.size >= MAX_HOLDERS) return
        holder = { key: keyOf(name), count, told: 0, toldAt: 0, others: 0, heardAt: -Infinity }
        holders.set(name, holder)
      }
      holder.count = count < toldFrom ? 0 : count
      if (Math.abs(holder.count - holder.told) >= step) onStep()
    },
  }
}

/**
 * Stores this node's counts and returns those of the other nodes, fields and values alternating, in the order of the keys. KEYS: a hash per
 * holder, with a field per node; its value is a stamped count, so that a node that was killed is not counted for long. ARGV: this node,
 * milliseconds to expiry, and a value per key, empty for none. What is not of this form is removed.
 */
const COUNT_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local node, ttl = ARGV[1], tonumber(ARGV[2])
local told = {}
for i, key in ipairs(KEYS) do
  local kind = redis.call('TYPE', key).ok
  if kind ~= 'none' and (kind ~= 'hash' or redis.call('HLEN', key) > 100) then redis.call('DEL', key) end
  if ARGV[2 + i] ~= '' then
    redis.call('HSET', key, node, ARGV[2 + i])
  else
    redis.call('HDEL', key, node)
  end
  local others = {}
  local fields = redis.call('HGETALL', key)
  for j = 1, #fields, 2 do
    if fields[j] ~= node then
      local expiry = #fields[j + 1] < 256 and string.match(fields[j + 1], '^%d+:(%d+):')
      if expiry and tonumber(expiry) > now then
        others[#others + 1] = fields[j]
        others[#others + 1] = fields[j + 1]
      else
        redis.call('HDEL', key, fields[j])
      end
    end
  end
  redis.call('PEXPIRE', key, ttl)
  told[i] = others
end
return told`

/** Returns the sum of the counts that other nodes have stamped. */
function sumOf(state: SharedState, fields: unknown, { key, time }: { key: string; time: number }): number {
  if (!Array.isArray(fields)) return 0
  let sum = 0
  for (let at = 0; at < fields.length; at += 2)
    sum += Number(state.stamped(String(fields[at + 1]), `${key}\n${String(fields[at])}`, time) ?? 0)
  return sum
}

/** What several nodes share in Redis: how its keys are named, sealed and read. All keys expire. */
export type SharedState = {
  readonly redis: RedisConnection
  /**
   * Returns the key of a kind of value for a subject. Only a keyed digest of the subject is in it. On a cluster all keys of a deployment are
   * in one slot.
   */
  keyOf(kind: string, subject: string): string
  /** Returns the time of Redis in milliseconds, which is the same for all nodes. Rejects with `RedisFailure`. */
  now(): Promise<number>
  /** Returns a value that counts under a name until an instant of Redis. */
  stamp(text: string, name: string, until: number): string
  /** Returns the text of a value; null if no node has stamped it under this name, or its time is over: it could be written again for ever. */
  stamped(value: string, name: string, now: number): string | null
}

export type SharedStateOptions = {
  readonly redis: RedisConnection
  /** Deployments that share a server have different ones. */
  readonly logId: string
  /** Returns the keyed digest of a text. */
  readonly digest: (text: string) => string
}

/** How often the time of Redis is asked for. */
const CLOCK_MS = 1_000
/** Longest time for which a value is stamped, and what the clock may be set back meanwhile. */
const MAX_STAMP_MS = 11_000
const STAMPED = /^([\w:-]{1,64}?):(\d{13}):/

export function createSharedState({ redis, logId, digest }: SharedStateOptions): SharedState {
  let askedAt = -Infinity
  let aheadMs = 0
  const stamp = (text: string, name: string, until: number): string => {
    const stampedText = `${text}:${Math.floor(until)}`
    return `${stampedText}:${digest(`${name}\n${stampedText}`)}`
  }
  return {
    async now() {
      if (performance.now() - askedAt > CLOCK_MS) {
        const [seconds, microseconds] = await redis.run((commands) => commands.time())
        askedAt = performance.now()
        aheadMs = Number(seconds) * 1_000 + Number(microseconds) / 1_000 - askedAt
      }
      return aheadMs + performance.now()
    },
    stamp,
    stamped(value, name, now) {
      const [, text, until] = STAMPED.exec(value) ?? []
      if (text === undefined || Number(until) <= now || Number(until) > now + MAX_STAMP_MS) return null
      return stamp(text, name, Number(until)) === value ? text : null
    },
    redis,
    keyOf: (kind, subject) => `payments:{${logId}}:${kind}:${digest(`${kind}\n${subject}`)}`,
  }
}

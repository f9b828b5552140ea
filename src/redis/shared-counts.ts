import { randomUUID } from 'node:crypto'
import { COUNT_SCRIPT, readSums } from './count-script.ts'
import type { SharedState } from './shared-state.ts'

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

export type CountSharing = {
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
    const sent = batch.map(([, , { count }]) => count)
    const keys = batch.map(([, , { key }]) => key)
    const sums = readSums(
      await state.redis.run((commands) => commands.eval(COUNT_SCRIPT, keys.length, ...keys, node, EXPIRY_MS, ...sent)),
    )
    const now = performance.now()
    for (const [index, [holders, name, holder]] of batch.entries()) {
      Object.assign(holder, { told: sent[index], toldAt: now, others: sums[index] ?? 0, heardAt: now })
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

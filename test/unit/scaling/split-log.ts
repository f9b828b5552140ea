/**
 * A model of the log split over shards, as `docs/scaling.md` proposes it for more writes than one lock can order. The product has one shard.
 * A stream belongs to the shard that its hash selects, each shard has a lock and positions of its own, and a cursor is the vector of the
 * positions of all shards. The number of shards changes by an epoch: a reader ends all shards of one epoch before it begins the next.
 */

export type SplitEvent = { readonly streamId: string; readonly sequence: number }

/** Faults of a design; null for the proposed one. */
export type Flaw =
  /** Positions are taken before the lock, so that a later position may be committed first. */
  | 'positions before the lock'
  /** One number for all shards: the number of events that were read. */
  | 'scalar cursor'
  /** The next epoch is read as soon as it exists. */
  | 'no end of an epoch'

/** The epoch that is read, and the positions that were read in each of its shards. */
export type Cursor = { readonly epoch: number; readonly positions: readonly number[] }

type Shard = { readonly committed: Map<number, SplitEvent>; next: number; isLocked: boolean }
type Epoch = { readonly shards: readonly Shard[]; ended: boolean }
type Transaction = {
  readonly shard: Shard
  readonly streamIds: readonly string[]
  readonly positions: readonly number[]
}

export class SplitLog {
  readonly #flaw: Flaw | null
  readonly #epochs: Epoch[]
  readonly #sequences = new Map<string, number>()
  readonly #open: Transaction[] = []
  /** Every committed event, in the order of the commits. */
  readonly committed: SplitEvent[] = []

  constructor(shards: number, flaw: Flaw | null) {
    this.#flaw = flaw
    this.#epochs = [epochOf(shards)]
  }

  /** Begins a transaction that appends an event to each of these streams that are of the shard of the first. Waits are left out: false. */
  begin(streamIds: readonly string[]): boolean {
    const { shards } = this.#last()
    const shard = shards[hash(streamIds[0] ?? '') % shards.length]
    if (shard === undefined || (shard.isLocked && this.#flaw !== 'positions before the lock')) return false
    const ofShard = [...new Set(streamIds)].filter((id) => shards[hash(id) % shards.length] === shard)
    const isBeingWritten = this.#open.some((other) => other.streamIds.some((id) => ofShard.includes(id)))
    if (isBeingWritten) return false
    shard.isLocked = true
    this.#open.push({ shard, streamIds: ofShard, positions: ofShard.map(() => (shard.next += 1)) })
    return true
  }

  /** Commits one of the open transactions, or undoes it as a crash does. */
  end(which: number, commits: boolean): void {
    const [transaction] = this.#open.splice(which % Math.max(this.#open.length, 1), 1)
    if (transaction === undefined) return
    const { shard, streamIds, positions } = transaction
    shard.isLocked = false
    if (!commits) {
      // Under the lock nobody has taken a later position.
      if (this.#flaw !== 'positions before the lock') shard.next -= positions.length
      return
    }
    for (const [index, streamId] of streamIds.entries()) {
      const sequence = (this.#sequences.get(streamId) ?? 0) + 1
      this.#sequences.set(streamId, sequence)
      const event = { streamId, sequence }
      shard.committed.set(positions[index] ?? 0, event)
      this.committed.push(event)
    }
  }

  /** Ends the epoch and begins one with another number of shards, once no transaction is open. */
  split(shards: number): boolean {
    if (this.#open.length > 0) return false
    this.#last().ended = true
    this.#epochs.push(epochOf(shards))
    return true
  }

  start(): Cursor {
    return { epoch: 0, positions: this.#epochs[0]?.shards.map(() => 0) ?? [] }
  }

  /** Reads the next events of one shard, as a node with this cursor does. Returns them with the cursor behind each. */
  read(cursor: Cursor, which: number, limit: number): { readonly event: SplitEvent; readonly cursor: Cursor }[] {
    const epoch = this.#epochs[cursor.epoch]
    if (epoch === undefined) return []
    const index = which % epoch.shards.length
    const { committed } = epoch.shards[index] ?? epochOf(1).shards[0] ?? fail()
    const after = this.#flaw === 'scalar cursor' ? Math.max(...cursor.positions) : (cursor.positions[index] ?? 0)
    const next = [...committed]
      .filter(([position]) => position > after)
      .toSorted(([a], [b]) => a - b)
      .slice(0, limit)
    return next.map(([position, event]) => ({
      event,
      cursor: { ...cursor, positions: cursor.positions.with(index, position) },
    }))
  }

  /** Returns the cursor at the start of the first epoch that has not ended, or was not read to its end. */
  advance(cursor: Cursor): Cursor {
    const [epoch, next] = [this.#epochs[cursor.epoch], this.#epochs[cursor.epoch + 1]]
    if (epoch === undefined || next === undefined || !epoch.ended) return cursor
    const isRead = epoch.shards.every(({ committed }, index) =>
      [...committed.keys()].every((position) => position <= (cursor.positions[index] ?? 0)),
    )
    if (!isRead && this.#flaw !== 'no end of an epoch') return cursor
    return this.advance({ epoch: cursor.epoch + 1, positions: next.shards.map(() => 0) })
  }

  #last(): Epoch {
    return this.#epochs.at(-1) ?? fail()
  }
}

function epochOf(shards: number): Epoch {
  return {
    shards: Array.from({ length: shards }, () => ({ committed: new Map(), next: 0, isLocked: false })),
    ended: false,
  }
}

function hash(text: string): number {
  return Array.from(text).reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) >>> 0, 7)
}

function fail(): never {
  throw new Error('There is no epoch.')
}

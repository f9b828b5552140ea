import { type IdentityState, isSettledIdentity } from '../../domain/customers/identity-check.ts'
import type { Follower, ItemReader, StreamEnd } from '../follow.ts'
import type { Deadline, Deadlines, StreamMember, StreamRegistry } from '../stream-registry.ts'

export type IdentityStreamOptions = {
  readonly deadlines: Deadlines
  readonly streams: StreamRegistry
  /** When the permission to follow expires, in milliseconds since the epoch. */
  readonly endsAt: number
  /** Key of the token's caller; null if the token names nobody. */
  readonly caller: string | null
  /** Returns the state that is known now; null until there is one. */
  readonly current: () => IdentityState | null
  readonly onStop: (stream: IdentityStream) => void
}

/**
 * Opens a stream of one contact's identity check: the state, then each change. It keeps no queue: a slow reader gets the latest state. It ends
 * after a state that is not expected to change. Returns null if the caller has as many streams as allowed.
 */
export function openIdentityStream(options: IdentityStreamOptions): IdentityStream | null {
  const stream = new IdentityStream(options)
  if (!options.streams.open(stream)) return null
  options.deadlines.add(stream)
  return stream
}

const OVER: StreamEnd = { kind: 'over' }

export class IdentityStream implements Follower, Deadline, StreamMember {
  readonly payer = null
  readonly caller: string | null
  readonly endsAt: number
  heapIndex = -1
  readonly #options: IdentityStreamOptions
  #given: IdentityState | null = null
  /** Set while the reader waits for an item. */
  #reader: ItemReader | null = null
  #ended: StreamEnd | null = null

  constructor(options: IdentityStreamOptions) {
    this.#options = options
    this.caller = options.caller
    this.endsAt = options.endsAt
  }

  pull(reader: ItemReader): void {
    this.#reader = reader
    if (this.#ended === null && this.#given !== null && isSettledIdentity(this.#given)) this.stop()
    else this.changed()
  }

  /** Gives the state to a reader that waits, if it is another one than it has. */
  changed(): void {
    const reader = this.#reader
    if (this.#ended !== null) return this.#tellEnd()
    if (reader === null) return
    const identity = this.#options.current()
    if (identity === null || (this.#given !== null && isSame(this.#given, identity))) return
    const isFirst = this.#given === null
    this.#reader = null
    this.#given = identity
    reader.take({ kind: 'IDENTITY', position: 0, previous: null, isFirst, identity })
  }

  stop(reason: StreamEnd = OVER): void {
    if (this.#ended !== null) return
    this.#ended = reason
    const { deadlines, streams, onStop } = this.#options
    deadlines.remove(this)
    streams.leave(this)
    onStop(this)
    this.#tellEnd()
  }

  onEnd(): void {
    this.stop()
  }

  replace(): void {
    this.stop({ kind: 'replaced' })
  }

  #tellEnd(): void {
    const reader = this.#reader
    const reason = this.#ended
    if (reader === null || reason === null) return
    this.#reader = null
    // Reported once.
    this.#ended = OVER
    reader.end(reason)
  }
}

function isSame(one: IdentityState, other: IdentityState): boolean {
  return one.status === other.status && one.results === other.results
}

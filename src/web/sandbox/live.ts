import { readSnapshot } from './endpoints.ts'
import type { Query, Snapshot } from './shapes.ts'

export type LiveListener = {
  readonly onSnapshot: (snapshot: Snapshot, query: Query) => void
  readonly onConnected: (connected: boolean) => void
}

/** Delay in milliseconds before a refused page reconnects. */
const AGAIN_MS = 3000

/** Follows the sandbox: reads the whole state after each change event, one read at a time. */
export class Live {
  readonly #listener: LiveListener
  #feed: EventSource
  #isClosed = false
  #query: Query
  #reading = false
  #isStale = false

  constructor(query: Query, listener: LiveListener) {
    this.#query = query
    this.#listener = listener
    this.#feed = this.#open()
  }

  /** Changes the part of the lists that is read. */
  ask(query: Query): void {
    this.#query = query
    void this.#read()
  }

  close(): void {
    this.#isClosed = true
    this.#feed.close()
  }

  #open(): EventSource {
    const feed = new EventSource('/sandbox/changes')
    feed.addEventListener('change', () => void this.#read())
    feed.addEventListener('open', () => this.#listener.onConnected(true))
    feed.addEventListener('error', () => {
      this.#listener.onConnected(false)
      // The browser reconnects a lost connection, but not a refused one.
      if (feed.readyState === EventSource.CLOSED) setTimeout(() => this.#reopen(), AGAIN_MS)
    })
    return feed
  }

  #reopen(): void {
    if (!this.#isClosed) this.#feed = this.#open()
  }

  async #read(): Promise<void> {
    this.#isStale = true
    if (this.#reading) return
    this.#reading = true
    while (this.#isStale && !this.#isClosed) {
      this.#isStale = false
      const query = this.#query
      try {
        this.#listener.onSnapshot(await readSnapshot(query), query)
      } catch {
        // The feed reports when the sandbox is back, and its first event triggers the next read.
        this.#listener.onConnected(false)
      }
    }
    this.#reading = false
  }
}

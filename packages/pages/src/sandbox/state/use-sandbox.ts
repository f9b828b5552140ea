import { useEffect, useRef, useState } from 'preact/hooks'
import { PAGE_SIZE, readFacts, type Facts, type Query, type Snapshot, readSnapshot } from './endpoints.ts'

type Followed = {
  readonly facts: Facts | null
  readonly snapshot: Snapshot | null
  /** `performance.now()` of the snapshot. */
  readonly readAt: number
  readonly isConnected: boolean
  /** The part of the lists that the snapshot contains. */
  readonly query: Query
  ask(query: Query): void
}

const FIRST: Query = { search: '', limit: PAGE_SIZE }

/** Returns the sandbox's current state, updated while the page is open. */
export function useSandbox(): Followed {
  const [facts, setFacts] = useState<Facts | null>(null)
  const [read, setRead] = useState<{ snapshot: Snapshot | null; query: Query; readAt: number }>({
    snapshot: null,
    query: FIRST,
    readAt: 0,
  })
  const [isConnected, setConnected] = useState(false)
  const live = useRef<Live | null>(null)
  useEffect(() => {
    const onConnected = (connected: boolean) => {
      setConnected(connected)
      // After a reconnect it may be another sandbox.
      if (connected) readFacts().then(setFacts, () => setConnected(false))
    }
    live.current = new Live(FIRST, {
      onSnapshot: (snapshot, query) => setRead({ snapshot, query, readAt: performance.now() }),
      onConnected,
    })
    return () => live.current?.close()
  }, [])
  return { facts, ...read, isConnected, ask: (query) => live.current?.ask(query) }
}

type LiveListener = {
  readonly onSnapshot: (snapshot: Snapshot, query: Query) => void
  readonly onConnected: (connected: boolean) => void
}

/** Delay in milliseconds before a refused page reconnects. */
const AGAIN_MS = 3000

/** Follows the sandbox: reads the whole state after each change event, one read at a time. */
class Live {
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

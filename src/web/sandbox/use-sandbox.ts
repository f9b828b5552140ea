import { useEffect, useRef, useState } from 'preact/hooks'
import { readFacts } from './endpoints.ts'
import { Live } from './live.ts'
import type { Facts, Query, Snapshot } from './shapes.ts'

export type Followed = {
  readonly facts: Facts | null
  readonly snapshot: Snapshot | null
  /** `performance.now()` of the snapshot. */
  readonly readAt: number
  readonly isConnected: boolean
  /** The part of the lists that the snapshot contains. */
  readonly query: Query
  ask(query: Query): void
}

/** Number of entries of each list that are read at first, and number that each further read adds. */
export const PAGE_SIZE = 50

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

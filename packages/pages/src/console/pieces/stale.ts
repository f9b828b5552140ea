import { createContext } from 'preact'
import { useContext, useEffect, useId } from 'preact/hooks'

/** Data that could not be read again. */
export type Stale = {
  /** When it was read, in milliseconds since the epoch. */
  readonly readAt: number
  readonly reason: string
  readonly askAgain: () => void
}

/** Takes what a part of the view says about its data; null when it is up to date. */
export const StaleContext = createContext<(part: string, stale: Stale | null) => void>(() => {})

/** Tells the head of the view that a part of it is not up to date; null when it is. */
export function useStale(stale: Stale | null): void {
  const tell = useContext(StaleContext)
  const part = useId()
  useEffect(() => tell(part, stale), [tell, part, stale?.readAt, stale?.reason])
  useEffect(() => () => tell(part, null), [tell, part])
}

import { useEffect, useState } from 'preact/hooks'
import { remaining } from '../../../client/index.ts'

/** The maximum delay of a timer, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1
/** Margin in milliseconds, because timers may fire a millisecond early. */
const MARGIN_MS = 20

/** Whether an instant of the server's clock has passed; true for null. Re-renders when the instant passes. */
export function useHasCome(instant: string | null, serverOffsetMs: number): boolean {
  const [, look] = useState(0)
  const left = instant === null ? 0 : remaining(instant, serverOffsetMs)
  useEffect(() => {
    if (instant === null) return undefined
    const wait = Math.min(remaining(instant, serverOffsetMs) + MARGIN_MS, LONGEST_MS)
    const timer = setTimeout(() => look((count) => count + 1), wait)
    return () => clearTimeout(timer)
  }, [instant, serverOffsetMs])
  return left === 0
}

import { useEffect, useRef } from 'preact/hooks'
import { watchPayment } from '../../../client/index.ts'
import { endpointOf } from '../session/endpoint.ts'
import type { Session } from '../session/session.ts'

/** Changes that come within so many milliseconds are read at once. */
const READ_AFTER_MS = 120

/** Calls `onChange` when something happens to a payment, as long as it is shown; a stream that cannot be had changes nothing. */
export function useLivePayment(id: string, session: Session, onChange: () => void): void {
  const latest = useRef(onChange)
  latest.current = onChange
  useEffect(() => {
    const control = new AbortController()
    let timer = 0
    const follow = async () => {
      for await (const { kind } of watchPayment(id, { ...endpointOf(session), signal: control.signal })) {
        // The query may have been answered before the stream was opened: all that was recorded counts, and all that follows.
        if (kind === 'SNAPSHOT') continue
        window.clearTimeout(timer)
        timer = window.setTimeout(() => latest.current(), READ_AFTER_MS)
      }
    }
    // What is wrong with the token or the id is told by the query.
    follow().catch(() => {})
    return () => {
      window.clearTimeout(timer)
      control.abort()
    }
  }, [id, session])
}

import { useEffect, useRef } from 'preact/hooks'
import { watchPayment } from '../../../client/index.ts'
import { endpointOf } from '../session/endpoint.ts'
import type { Session } from '../session/session.ts'

/** Changes within this many milliseconds cause one read. */
const READ_AFTER_MS = 120

/** Calls `onChange` when a payment changes, as long as the component is mounted; a stream that fails has no effect. */
export function useLivePayment(id: string, session: Session, onChange: () => void): void {
  const latest = useRef(onChange)
  latest.current = onChange
  useEffect(() => {
    const control = new AbortController()
    let timer = 0
    const follow = async () => {
      for await (const { kind } of watchPayment(id, { ...endpointOf(session), signal: control.signal })) {
        // The query may have been answered before the stream opened, so recorded events count as well as later ones.
        if (kind === 'SNAPSHOT') continue
        window.clearTimeout(timer)
        timer = window.setTimeout(() => latest.current(), READ_AFTER_MS)
      }
    }
    // The query reports a wrong token or id.
    follow().catch(() => {})
    return () => {
      window.clearTimeout(timer)
      control.abort()
    }
  }, [id, session])
}

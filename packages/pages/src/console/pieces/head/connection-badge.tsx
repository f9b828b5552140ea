import type { Connection } from 'payments-subgraph-client'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { timeText } from '../moments.tsx'
import type { Stale } from '../stale.ts'

const WORDS: Readonly<Record<Connection, string>> = {
  connecting: 'Connecting',
  live: 'Live',
  polling: 'Polling',
  reconnecting: 'Reconnecting',
  offline: 'Not connected',
  closed: 'Ended',
}

const TONES: Readonly<Record<Connection, string>> = {
  connecting: 'over',
  live: 'here',
  polling: 'look',
  reconnecting: 'look',
  offline: 'fault',
  closed: 'fault',
}

/** The state of the event stream; null where the user may not follow it. */
export const ConnectionContext = createContext<Connection | null>(null)

/** Shows whether events arrive live, and of when the view is if it could not be read since. */
export function ConnectionBadge({ stale }: { readonly stale: Stale | null }) {
  const connection = useContext(ConnectionContext)
  if (stale !== null)
    return (
      <span class="row stale">
        <span class="live look" role="status">
          <span class="wide-only">{stale.reason} </span>
          <span>As of {timeText(stale.readAt)}</span>
        </span>
        <button class="button quiet" type="button" onClick={stale.askAgain}>
          Try now
        </button>
      </span>
    )
  if (connection === null) return null
  return (
    <span class={`live ${TONES[connection]}`} role="status">
      <span>{WORDS[connection]}</span>
    </span>
  )
}

import type { Connection } from 'payments-subgraph-client'

const WORDS: Readonly<Record<Connection, string>> = {
  connecting: 'Connecting',
  live: 'Live',
  polling: 'Polling',
  reconnecting: 'Reconnecting',
  offline: 'Not connected',
  closed: 'Ended',
}

const TONES: Readonly<Record<Connection, string>> = {
  connecting: 'plain',
  live: 'good',
  polling: 'warn',
  reconnecting: 'warn',
  offline: 'bad',
  closed: 'bad',
}

/** Shows whether events arrive live. */
export function ConnectionBadge({ connection }: { readonly connection: Connection }) {
  return (
    <span class={`status ${TONES[connection]}`} role="status">
      {WORDS[connection]}
    </span>
  )
}

import type { PaymentLinkView } from 'payments-subgraph-client'
import { useEffect, useRef, useState } from 'preact/hooks'
import { causeFault, type FaultKind } from '../shop-server.ts'
import { PageSocket } from './page-socket.ts'
import './drawer.css'

type DrawerProps = {
  readonly linkId: string
  readonly view: PaymentLinkView
  /** Whether an emulator replaces the payments API. */
  readonly emulator: boolean
}

/** An action of the drawer and its result. */
type Report = { readonly what: string; readonly answer: string; readonly eventsBefore: number }

const FAULTS: readonly (readonly [FaultKind, string])[] = [
  ['pay', 'Pay'],
  ['decline', 'Decline'],
  ['duplicate', 'Send the last webhook again'],
  ['late', 'Send an older webhook'],
  ['forged', 'Send a forged webhook'],
  ['reordered', 'Swap the next two webhooks'],
  ['expire', 'Let the time run out'],
  ['refund', 'Refund'],
  ['dispute', 'Dispute'],
  ['upstream-down', 'Take the payments API down'],
  ['upstream-up', 'Bring the payments API back'],
]

const DECLINES = [
  'generic_declined',
  'insufficient_funds',
  'card_expired',
  'customer_canceled',
  'issuer_not_available',
  'card_decline_rate_limit_exceeded',
  'amount_too_large',
  'debit_not_authorised',
]

/**
 * For developers: shows every event as it arrives, and triggers faults to show how the graph handles them. It shows protocol
 * data, so it is in English only.
 */
export function Drawer({ linkId, view, emulator }: DrawerProps) {
  const [reports, setReports] = useState<readonly Report[]>([])
  const [errorCode, setErrorCode] = useState('generic_declined')
  const { events } = view
  const report = (what: string, answer: string) =>
    setReports((before) => [...before, { what, answer, eventsBefore: events.length }])
  const cause = async (kind: FaultKind, what: string) => {
    try {
      const { deliveries } = await causeFault(linkId, kind, kind === 'decline' ? errorCode : undefined)
      report(what, deliveries.length === 0 ? 'done' : `the graph answered ${deliveries.join(', ')}`)
    } catch (error) {
      report(what, error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <aside class="dev" lang="en" dir="ltr" aria-label="For developers">
      <details>
        <summary>For developers: what comes in, and what can go wrong</summary>
        <div class="row wrap">
          <button
            class="button"
            type="button"
            onClick={() =>
              report('Cut the socket', `${PageSocket.cut()} closed, continues after ${view.cursor ?? 'the start'}`)
            }
          >
            Cut the socket
          </button>
          {emulator &&
            FAULTS.map(([kind, what]) => (
              <button class="button" key={kind} type="button" onClick={() => void cause(kind, what)}>
                {what}
              </button>
            ))}
        </div>
        {emulator && (
          <p>
            <label>
              Declines with{' '}
              <select
                class="select"
                value={errorCode}
                onChange={({ currentTarget }) => setErrorCode(currentTarget.value)}
              >
                {DECLINES.map((code) => (
                  <option key={code}>{code}</option>
                ))}
              </select>
            </label>
          </p>
        )}
        <ol class="reports" aria-live="polite">
          {reports.map(({ what, answer, eventsBefore }, index) => (
            <li key={index}>
              {what}: {answer}. Events since: {events.length - eventsBefore}
            </li>
          ))}
        </ol>
        <Events view={view} />
      </details>
    </aside>
  )
}

function Events({ view: { events, serverOffsetMs, cursor, caughtUp } }: { readonly view: PaymentLinkView }) {
  const seenAt = useSeenAt(events)
  return (
    <div class="table-wrap" tabIndex={0} role="region" aria-label="Events">
      <table class="table">
        <caption>
          Events: {events.length}, {caughtUp ? 'caught up' : 'catching up'} at <code>{cursor ?? 'the start'}</code>
        </caption>
        <thead>
          <tr>
            <th scope="col">Sequence</th>
            <th scope="col">Kind</th>
            <th scope="col">Status</th>
            <th scope="col">Source</th>
            <th scope="col">Delay</th>
            <th scope="col">Cursor</th>
          </tr>
        </thead>
        <tbody>
          {events.map(({ id, sequence, kind, fromStatus, toStatus, source, receivedAt, cursor: at }) => (
            <tr key={id}>
              <td>{sequence}</td>
              <td>{kind}</td>
              <td>
                {fromStatus ?? '–'} → {toStatus ?? '–'}
              </td>
              <td>{source}</td>
              <td>{Math.round((seenAt.get(id) ?? Date.now()) + serverOffsetMs - Date.parse(receivedAt))} ms</td>
              <td>
                <code>{at}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Returns when each event was first seen, by this device's clock. */
function useSeenAt(events: PaymentLinkView['events']): ReadonlyMap<string, number> {
  const seen = useRef(new Map<string, number>())
  useEffect(() => {
    for (const { id } of events) if (!seen.current.has(id)) seen.current.set(id, Date.now())
  }, [events])
  return seen.current
}

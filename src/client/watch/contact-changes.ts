import type { OpenedConnection } from '../connection/connection.ts'
import { connectionOver, type Transport } from '../connection/open-transport.ts'
import { timingOf } from '../connection/timing.ts'
import { PaymentContactUpdatesDocument, type PaymentContactUpdatesSubscription } from '../generated/documents.ts'
import type { PaymentsEndpoint } from '../graph-endpoint.ts'
import { pause } from '../request/retry-request.ts'
import { createTokens } from '../token-source.ts'
import type { ContactDetails, WatchedContact } from './watch-contact.ts'
import type { Subject } from './watch-options.ts'

/** When a contact has to be read again. */
export type ContactChanges = {
  /**
   * Resolves when the stream tells another state than `known`, or has ended, or the signal aborts; without a stream after so many
   * milliseconds.
   */
  next(milliseconds: number, known: ContactDetails, signal: AbortSignal | undefined): Promise<void>
  close(): void
}

type Item = NonNullable<PaymentContactUpdatesSubscription['paymentContactUpdates']>

/**
 * Opens a stream of the state of a contact's identity check at the first `next`, and again at the next one after it has ended. Where it is refused for
 * good, none is opened again.
 */
export function contactChanges(contact: WatchedContact, endpoint: PaymentsEndpoint): ContactChanges {
  const tokens = createTokens(endpoint.token)
  let stream: 'none' | 'opening' | 'open' | 'refused' = 'none'
  let connection: OpenedConnection | null = null
  let latest: Item | null = null
  let transport = 0
  let wake = () => {}
  let isClosed = false

  const open = async () => {
    stream = 'opening'
    const token = await tokens.get().catch(() => undefined)
    if (isClosed || token === undefined) {
      stream = 'none'
      return
    }
    const request = { subject: subjectOf(contact), endpoint, token, after: null, held: null, pollMs: 0 }
    connection = connectionOver(LIVE, transport).open(
      { ...request, timing: timingOf(undefined) },
      {
        opened() {},
        item(item) {
          stream = 'open'
          latest = item as unknown as Item
          wake()
        },
        ended({ kind, error }) {
          // The stream ends with the token, so the next one has a new token.
          const isRenewed = (kind === 'complete' || error.code === 'UNAUTHENTICATED') && tokens.refused()
          const isLeft = kind === 'unopened' && ++transport < LIVE.length
          const mayReopen = isRenewed || isLeft || (kind !== 'unopened' && kind !== 'refused')
          const wasOpen = stream === 'open'
          stream = mayReopen ? 'none' : 'refused'
          connection = null
          latest = null
          // One that may be refused again, such as beyond a limit, is opened again only after the pause.
          if (wasOpen || isLeft || !mayReopen) wake()
        },
      },
    )
  }

  return {
    async next(milliseconds, known, signal) {
      if (stream === 'none') void open()
      const given = new AbortController()
      const end = () => given.abort()
      signal?.addEventListener('abort', end)
      wake = () => {
        if (stream !== 'open' || (latest !== null && !isKnown(latest, known))) end()
      }
      const wait = async (): Promise<void> => {
        await pause(milliseconds, given.signal)
        // An open stream tells of each change.
        if (stream === 'open' && !given.signal.aborted) await wait()
      }
      if (signal?.aborted === true) end()
      if (latest !== null) wake()
      await wait()
      signal?.removeEventListener('abort', end)
      wake = () => {}
    },
    close() {
      isClosed = true
      connection?.close()
    },
  }
}

/** The transports of streams, the best first. */
const LIVE: readonly Transport[] = ['socket', 'sse']

function isKnown({ identityStatus, results }: Item, known: ContactDetails): boolean {
  return identityStatus === known.identityStatus && results === known.identityResults.length
}

function subjectOf({ email, currency, site }: WatchedContact): Subject {
  return {
    field: 'paymentContactUpdates',
    document: PaymentContactUpdatesDocument as Subject['document'],
    variables: { email, currency, site },
    isOneStream: false,
    poll: { now: null, since: () => Promise.resolve(null) },
  }
}

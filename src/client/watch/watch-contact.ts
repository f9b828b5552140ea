import { PaymentsClientError, createTokens } from '../client-errors.ts'
import { connectionOver, type Transport, timingOf } from '../connection/connection-attempt.ts'
import type { OpenedConnection } from '../connection/connection.ts'
import {
  PaymentContactDocument,
  type PaymentContactQuery,
  PaymentContactUpdatesDocument,
  type PaymentContactUpdatesSubscription,
} from '../generated/documents.ts'
import type { PaymentsEndpoint } from '../graph-endpoint.ts'
import { ask } from '../request/ask.ts'
import { pause } from '../request/retry-request.ts'
import type { Subject } from './watch-options.ts'

/** A contact, masked, with the state of its identity check. */
export type ContactDetails = NonNullable<PaymentContactQuery['paymentContact']>

/** Which contact: the one with this e-mail address at the named site, or at the one that serves the currency. One of them is needed. */
export type WatchedContact = { readonly email: string; readonly currency?: string; readonly site?: string }

export type ContactWatchOptions = PaymentsEndpoint & {
  /** Milliseconds from one read to the next after a change, where there is no stream; default 5,000. */
  readonly pollMs?: number
  readonly signal?: AbortSignal
}

const POLL_MS = 5_000
/** Longest time between two reads in milliseconds: a check that a person makes takes hours. */
const LONGEST_POLL_MS = 60_000

/**
 * Follows the identity check of a contact: its state, then its state after each change, until it is `APPROVED`. A stream tells when it has to be
 * read; where that is refused it is read at intervals, 5 seconds after a change, then at intervals that double to a minute. Ends after `APPROVED`, with
 * `return()` (which a `break` calls), or when the signal aborts. Throws a `PaymentsClientError` when there is no such contact (`NOT_FOUND`) or the caller
 * may not read it; after an error that may pass, it is read again. Requires `customers:read`.
 *
 * @example
 * for await (const { identityStatus } of watchPaymentContact({ email, currency: 'AUD' }, { url, token }))
 *   if (identityStatus === 'REJECTED') break
 */
export async function* watchPaymentContact(
  contact: WatchedContact,
  { pollMs = POLL_MS, signal, ...endpoint }: ContactWatchOptions,
): AsyncGenerator<ContactDetails, void, void> {
  const changes = contactChanges(contact, endpoint)
  let shown: string | null = null
  let waitMs = pollMs
  try {
    while (signal?.aborted !== true) {
      const found = await read(contact, endpoint, signal)
      if (found === 'over') return
      const text = JSON.stringify(found)
      if (found !== null && text !== shown) {
        shown = text
        waitMs = pollMs
        yield found
        if (found.identityStatus === 'APPROVED') return
      }
      await (found === null ? pause(waitMs, signal) : changes.next(waitMs, found, signal))
      waitMs = Math.min(waitMs * 2, LONGEST_POLL_MS)
    }
  } finally {
    changes.close()
  }
}

/** Returns the contact; null after an error that may pass. */
async function read(
  contact: WatchedContact,
  endpoint: PaymentsEndpoint,
  signal: AbortSignal | undefined,
): Promise<ContactDetails | 'over' | null> {
  try {
    const { paymentContact } = await ask(
      PaymentContactDocument,
      contact,
      endpoint,
      signal === undefined ? {} : { signal },
    )
    if (paymentContact === null) throw new PaymentsClientError('NOT_FOUND', 'There is no contact with this address.')
    return paymentContact
  } catch (error) {
    if (signal?.aborted === true) return 'over'
    if (error instanceof PaymentsClientError && error.retryable) return null
    throw error
  }
}

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
function contactChanges(contact: WatchedContact, endpoint: PaymentsEndpoint): ContactChanges {
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

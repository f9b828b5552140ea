import { PaymentsClientError } from '../client-errors.ts'
import { PaymentContactDocument, type PaymentContactQuery } from '../generated/documents.ts'
import type { PaymentsEndpoint } from '../graph-endpoint.ts'
import { ask } from '../request/ask.ts'
import { pause } from '../request/retry-request.ts'

/** A contact, masked, with the state of its identity check. */
export type ContactDetails = NonNullable<PaymentContactQuery['paymentContact']>

/** Which contact: the one with this e-mail address at the named site, or at the one that serves the currency. One of them is needed. */
export type WatchedContact = { readonly email: string; readonly currency?: string; readonly site?: string }

export type ContactWatchOptions = PaymentsEndpoint & {
  /** Milliseconds from a change to the next read; default 5,000. */
  readonly pollMs?: number
  readonly signal?: AbortSignal
}

const POLL_MS = 5_000
/** Longest time between two reads in milliseconds: a check that a person makes takes hours. */
const LONGEST_POLL_MS = 60_000

/**
 * Follows the identity check of a contact: its state, then its state after each change, until it is `APPROVED`. Polls 5 seconds after a change,
 * then at intervals that double to a minute. Ends after `APPROVED`, with
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
  let shown: string | null = null
  let waitMs = pollMs
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
    await pause(waitMs, signal)
    waitMs = Math.min(waitMs * 2, LONGEST_POLL_MS)
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

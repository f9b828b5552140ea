import { asClientError } from '../client-errors.ts'
import { createChannel } from '../connection/channel.ts'
import type { PaymentEventFilter } from '../generated/documents.ts'
import { follow } from './follow-subject.ts'
import { agreementSubject, eventsSubject, linkSubject, paymentSubject, payoutSubject } from './subjects.ts'
import type { WatchOptions, PaymentLinkUpdate, PaymentUpdate, Subject } from './watch-options.ts'

/**
 * Follows one link: its state, then its events, over any transport that works, without gaps or duplicates across reconnects.
 * Starts with the first `next()`, and ends with `return()` (which a `break` calls) or when the signal aborts. Throws a
 * `PaymentsClientError` when the link does not exist, the caller may not read it, or the token is rejected.
 *
 * @example
 * for await (const { kind, payment } of watchPaymentLink(id, { url: 'https://shop.example/graphql', statusToken }))
 *   if (payment?.phase === 'SUCCEEDED') break
 */
export function watchPaymentLink(id: string, options: WatchOptions): AsyncIterableIterator<PaymentLinkUpdate> {
  return watch(linkSubject(whichOf(id, options)), options)
}

/** Follows one payment, like `watchPaymentLink`. */
export function watchPayment(id: string, options: WatchOptions): AsyncIterableIterator<PaymentUpdate> {
  return watch(paymentSubject(whichOf(id, options)), options)
}

/** Follows one agreement, like `watchPaymentLink`: the updates contain the agreement alone. Requires `agreements:read`. */
export function watchPaymentAgreement(
  id: string,
  options: Omit<WatchOptions, 'statusToken' | 'locale'>,
): AsyncIterableIterator<PaymentUpdate> {
  return watch(agreementSubject(id), options)
}

/** Follows one payout that was made through the subgraph, like `watchPaymentLink`: the updates contain the payout alone. Requires `payouts:read`. */
export function watchPayout(
  id: string,
  options: Omit<WatchOptions, 'statusToken' | 'locale'>,
): AsyncIterableIterator<PaymentUpdate> {
  return watch(payoutSubject(id), options)
}

/**
 * Follows every event that matches the filter, from now on or after a cursor, with its payment and link. Requires
 * `payments:read`. A `SNAPSHOT` without a link means that the stream could not continue from the cursor and starts anew.
 * Polling needs a cursor: until there is one, `polling` counts as a transport that does not work.
 *
 * @example
 * for await (const { event } of watchPaymentEvents({ kinds: ['PAYMENT_STATUS_CHANGED'] }, { url, token })) show(event)
 */
export function watchPaymentEvents(
  filter: PaymentEventFilter | null,
  options: WatchOptions,
): AsyncIterableIterator<PaymentUpdate> {
  return watch(eventsSubject(filter, options.locale ?? null), options)
}

function whichOf(id: string, { statusToken, locale }: WatchOptions) {
  return { id, statusToken: statusToken ?? null, locale: locale ?? null }
}

function watch(subject: Subject, options: WatchOptions): AsyncIterableIterator<PaymentUpdate> {
  const channel = createChannel<PaymentUpdate>()
  const control = new AbortController()
  const { signal: outer, onConnection } = options
  let state: 'new' | 'running' | 'over' = 'new'

  const end = () => {
    if (state === 'over') return
    const wasRunning = state === 'running'
    state = 'over'
    control.abort()
    outer?.removeEventListener('abort', giveUp)
    if (wasRunning) onConnection?.('closed')
  }
  const giveUp = () => {
    channel.drop()
    end()
  }
  const start = () => {
    state = 'running'
    if (outer?.aborted === true) return giveUp()
    outer?.addEventListener('abort', giveUp)
    const sink = {
      update: channel.push,
      connection: (now: Parameters<NonNullable<typeof onConnection>>[0]) => onConnection?.(now),
    }
    follow(subject, options, sink, control.signal).then(
      () => channel.end(),
      (reason: unknown) => {
        channel.end(asClientError(reason))
        end()
      },
    )
  }

  return {
    next() {
      if (state === 'new') start()
      return channel.take()
    },
    async return() {
      giveUp()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

'use client'

/** React hooks: each follows one object live, from the first render to the last. */
import { useMemo, useSyncExternalStore } from 'react'
import type { PaymentUpdate } from './updates.ts'
import { watchStore, type PaymentLinkView, type WatchView } from './watch-store.ts'
import type { WatchOptions } from './watch/watch-options.ts'
import { watchPayment, watchPaymentAgreement, watchPaymentLink, watchPayout } from './watch/watch.ts'

/** A view with the function that starts again after an error. */
type Followed<View> = View & { readonly retry: () => void }

/**
 * Returns a link and its payment, and renders again when they change. With null as id nothing is followed yet. Another `id`, `url`,
 * `statusToken`, `locale`, or token that is a text starts another watch; all other options are those of the render that started it.
 *
 * @example
 * const { link, payment, error, retry } = usePaymentLink(id, { url: 'https://shop.example/graphql', statusToken })
 */
export function usePaymentLink(id: string | null, options: WatchOptions): Followed<PaymentLinkView> {
  return useWatch(watchPaymentLink, id, options)
}

/** Returns a payment, like `usePaymentLink`. */
export function usePayment(id: string | null, options: WatchOptions): Followed<PaymentLinkView> {
  return useWatch(watchPayment, id, options)
}

/** Returns an agreement, like `usePaymentLink`. */
export function useAgreement(
  id: string | null,
  options: Omit<WatchOptions, 'locale'>,
): Followed<Omit<WatchView, 'link' | 'payment' | 'payout'>> {
  return useWatch(watchPaymentAgreement, id, options)
}

/** Returns a payout that was made through the subgraph, like `usePaymentLink`. Requires `payouts:read`. */
export function usePayout(
  id: string | null,
  options: Omit<WatchOptions, 'statusToken' | 'locale'>,
): Followed<Omit<WatchView, 'link' | 'payment' | 'agreement'>> {
  return useWatch(watchPayout, id, options)
}

type Watch = (id: string, options: WatchOptions) => AsyncIterable<PaymentUpdate>

function useWatch(watch: Watch, id: string | null, options: WatchOptions): Followed<WatchView> {
  const { url, statusToken, locale } = options
  const token = typeof options.token === 'string' ? options.token : null
  const store = useMemo(
    () => watchStore((more) => (id === null ? NOTHING : watch(id, more)), options),
    [watch, id, url, statusToken, locale, token],
  )
  const view = useSyncExternalStore(store.subscribe, store.getSnapshot, store.getServerSnapshot)
  return useMemo(() => ({ ...view, retry: store.retry }), [view, store])
}

const NOTHING: AsyncIterable<PaymentUpdate> = {
  async *[Symbol.asyncIterator]() {},
}

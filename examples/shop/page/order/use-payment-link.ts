import { paymentLinkStore, type PaymentLinkView } from 'payments-subgraph-client'
import { useSyncExternalStore } from 'preact/compat'
import { useEffect, useMemo } from 'preact/hooks'
import { PageSocket } from '../drawer/page-socket.ts'
import { useSpeech } from '../language.ts'
import type { Followed } from '../order-address.ts'
import { ENDPOINT } from '../shop-server.ts'

/** Follows a link live. This is all that a page needs in order to follow a payment. */
export function usePaymentLink({ linkId, statusToken }: Followed): PaymentLinkView {
  const { language } = useSpeech()
  const store = useMemo(
    () => paymentLinkStore(linkId, { ...ENDPOINT, statusToken, locale: language, webSocket: PageSocket }),
    [linkId, statusToken, language],
  )
  useEffect(() => () => store.close(), [store])
  return useSyncExternalStore(store.subscribe, store.getSnapshot)
}

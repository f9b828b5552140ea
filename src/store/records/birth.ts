import { directPaymentStreamId, linkStreamId } from '../../domain/payment-link.ts'
import type { Birth } from '../../domain/payment.ts'

/** A payment of which nothing was known: its events lie with its link's, where it has one. */
export function birthOf(id: string, linkRef: string | null): Birth {
  return { id, linkRef, streamId: linkRef === null ? directPaymentStreamId(id) : linkStreamId(linkRef) }
}

import type { PaymentLinkView } from '../../../client/index.ts'

/** A link and its payment, as the client kit returns them. */
export type Link = NonNullable<PaymentLinkView['link']>
export type Payment = NonNullable<PaymentLinkView['payment']>

import type { PaymentLinkView } from '../../../client/index.ts'

/** A link and its payment, as the kit gives them. */
export type Link = NonNullable<PaymentLinkView['link']>
export type Payment = NonNullable<PaymentLinkView['payment']>

import type { PaymentNowQuery } from '../generated/graphql.ts'

/** A payment as its view reads it. */
export type PaymentNow = NonNullable<PaymentNowQuery['payment']>

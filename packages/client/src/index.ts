/** The client kit: follow payments live, open the hosted page, format amounts. For browsers and React Native. */
export { formatAmount, type Amount } from './amount.ts'
export { ask, type AskOptions } from './request/ask.ts'
export { openCheckout, type Checkout, type CheckoutOptions } from './open-checkout.ts'
export type { CheckoutMessage } from './open-checkout.ts'
export type {
  AnyDocument,
  PaymentsEndpoint,
  TokenSource,
  WebSocketConstructor,
  WebSocketLike,
} from './graph-endpoint.ts'
export { PaymentsClientError, type GraphError } from './client-errors.ts'
export * from './generated/documents.ts'
export type { Connection, Transport, WakeSource } from './connection/connection-attempt.ts'
export type { Timing } from './connection/timing.ts'
export { remaining } from './remaining.ts'
export type { Retry } from './request/retry-request.ts'
export { paymentLinkStore, type PaymentLinkStore, type PaymentLinkView } from './watch-store.ts'
export type {
  AgreementDetails,
  EventDetails,
  LinkDetails,
  PaymentDetails,
  PaymentLinkUpdate,
  PaymentUpdate,
  PayoutDetails,
  RefundDetails,
} from './updates.ts'
export {
  watchPayment,
  watchPaymentAgreement,
  watchPaymentEvents,
  watchPaymentLink,
  watchPayout,
} from './watch/watch.ts'
export type { WatchOptions } from './watch/watch-options.ts'
export {
  watchPaymentContact,
  type ContactDetails,
  type ContactWatchOptions,
  type WatchedContact,
} from './watch/watch-contact.ts'

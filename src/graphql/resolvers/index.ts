import type { Resolvers } from '../generated.ts'
import { createPaymentLink } from './mutation/createPaymentLink.ts'
import { refreshPayment } from './mutation/refreshPayment.ts'
import { PayinMethod } from './PayinMethod.ts'
import { Payment } from './Payment.ts'
import { PaymentAmount } from './PaymentAmount.ts'
import { PaymentCurrency } from './PaymentCurrency.ts'
import { PaymentEvent } from './PaymentEvent.ts'
import { PaymentFailure } from './PaymentFailure.ts'
import { PaymentLink } from './PaymentLink.ts'
import { PaymentNextAction } from './PaymentNextAction.ts'
import { PaymentStreamItem } from './PaymentStreamItem.ts'
import { payinMethod } from './query/payinMethod.ts'
import { payinMethods } from './query/payinMethods.ts'
import { payment } from './query/payment.ts'
import { paymentCurrencies } from './query/paymentCurrencies.ts'
import { paymentEvents } from './query/paymentEvents.ts'
import { paymentLink } from './query/paymentLink.ts'
import { paymentLinks } from './query/paymentLinks.ts'
import { payments } from './query/payments.ts'
import { webhookDeliveries } from './query/webhookDeliveries.ts'
import { paymentEventStream } from './subscription/paymentEventStream.ts'
import { paymentLinkUpdates } from './subscription/paymentLinkUpdates.ts'
import { paymentUpdates } from './subscription/paymentUpdates.ts'
import { WebhookDelivery } from './WebhookDelivery.ts'

/** Every resolver, under the names of the schema. */
export const resolvers: Resolvers = {
  Query: {
    paymentCurrencies,
    payinMethods,
    payinMethod,
    paymentLink,
    paymentLinks,
    payment,
    payments,
    paymentEvents,
    webhookDeliveries,
  },
  Mutation: { createPaymentLink, refreshPayment },
  Subscription: { paymentLinkUpdates, paymentUpdates, paymentEventStream },
  PaymentAmount,
  PaymentCurrency,
  PayinMethod,
  PaymentLink,
  Payment,
  PaymentNextAction,
  PaymentFailure,
  PaymentEvent,
  PaymentStreamItem,
  WebhookDelivery,
}

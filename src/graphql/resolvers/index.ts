import type { Resolvers } from '../generated.ts'
import { AccountBalance } from './AccountBalance.ts'
import { AccountBalanceFailure } from './AccountBalanceFailure.ts'
import { BalanceMovement } from './BalanceMovement.ts'
import { CreateGatewayPaymentSuccess } from './CreateGatewayPaymentSuccess.ts'
import { DuplicatePayment } from './DuplicatePayment.ts'
import { GatewayPayment } from './GatewayPayment.ts'
import { GatewayPaymentCreation } from './GatewayPaymentCreation.ts'
import { IdentityDocument } from './IdentityDocument.ts'
import { IdentityResult } from './IdentityResult.ts'
import { amendPaymentAgreement } from './mutation/amendPaymentAgreement.ts'
import { cancelScheduledPayout } from './mutation/cancelScheduledPayout.ts'
import { changePaymentAgreementStatus } from './mutation/changePaymentAgreementStatus.ts'
import { createGatewayPayment } from './mutation/createGatewayPayment.ts'
import { createPayin } from './mutation/createPayin.ts'
import { createPaymentAgreement } from './mutation/createPaymentAgreement.ts'
import { createPaymentContact } from './mutation/createPaymentContact.ts'
import { createPaymentCustomer } from './mutation/createPaymentCustomer.ts'
import { createPaymentLink } from './mutation/createPaymentLink.ts'
import { createPaymentsExport } from './mutation/createPaymentsExport.ts'
import { createPayout } from './mutation/createPayout.ts'
import { createPayoutFromFile } from './mutation/createPayoutFromFile.ts'
import { dismissDuplicatePayment } from './mutation/dismissDuplicatePayment.ts'
import { erasePayer } from './mutation/erasePayer.ts'
import { importPayments } from './mutation/importPayments.ts'
import { refreshPayment } from './mutation/refreshPayment.ts'
import { refundPayment } from './mutation/refundPayment.ts'
import { replayWebhookDelivery } from './mutation/replayWebhookDelivery.ts'
import { requestIdentityCheck } from './mutation/requestIdentityCheck.ts'
import { settleGatewayPayment } from './mutation/settleGatewayPayment.ts'
import { settleGatewayPaymentCreation } from './mutation/settleGatewayPaymentCreation.ts'
import { simulateDeposit } from './mutation/simulateDeposit.ts'
import { simulatePayin } from './mutation/simulatePayin.ts'
import { updatePaymentCustomer } from './mutation/updatePaymentCustomer.ts'
import { PayerErasure } from './PayerErasure.ts'
import { PayinMethod } from './PayinMethod.ts'
import { PayinMethodTraits } from './PayinMethodTraits.ts'
import { Payment } from './Payment.ts'
import { PaymentAgreement } from './PaymentAgreement.ts'
import { PaymentAmount } from './PaymentAmount.ts'
import { PaymentContact } from './PaymentContact.ts'
import { PaymentContactStreamItem } from './PaymentContactStreamItem.ts'
import { PaymentCurrency } from './PaymentCurrency.ts'
import { PaymentCustomer } from './PaymentCustomer.ts'
import { PaymentEvent } from './PaymentEvent.ts'
import { PaymentFailure } from './PaymentFailure.ts'
import { PaymentImport } from './PaymentImport.ts'
import { PaymentLink } from './PaymentLink.ts'
import { PaymentNextAction } from './PaymentNextAction.ts'
import { PaymentPersonalDetails } from './PaymentPersonalDetails.ts'
import { PaymentsHealth } from './PaymentsHealth.ts'
import { PaymentStreamItem } from './PaymentStreamItem.ts'
import { Payout } from './Payout.ts'
import { PayoutMethod } from './PayoutMethod.ts'
import { PayoutTransaction } from './PayoutTransaction.ts'
import { accountBalances } from './query/accountBalances.ts'
import { balanceHistory } from './query/balanceHistory.ts'
import { balances } from './query/balances.ts'
import { bankLookup } from './query/bankLookup.ts'
import { gatewayPayment } from './query/gatewayPayment.ts'
import { gatewayPayments } from './query/gatewayPayments.ts'
import { payerErasures } from './query/payerErasures.ts'
import { payinMethod } from './query/payinMethod.ts'
import { payinMethods } from './query/payinMethods.ts'
import { payment } from './query/payment.ts'
import { paymentAgreement } from './query/paymentAgreement.ts'
import { paymentAgreements } from './query/paymentAgreements.ts'
import { paymentContact } from './query/paymentContact.ts'
import { paymentContacts } from './query/paymentContacts.ts'
import { paymentCurrencies } from './query/paymentCurrencies.ts'
import { paymentCustomer } from './query/paymentCustomer.ts'
import { paymentCustomers } from './query/paymentCustomers.ts'
import { paymentEvents } from './query/paymentEvents.ts'
import { paymentImport } from './query/paymentImport.ts'
import { paymentImports } from './query/paymentImports.ts'
import { paymentLink } from './query/paymentLink.ts'
import { paymentLinks } from './query/paymentLinks.ts'
import { payments } from './query/payments.ts'
import { paymentSearch } from './query/paymentSearch.ts'
import { paymentsHealth } from './query/paymentsHealth.ts'
import { paymentsNode } from './query/paymentsNode.ts'
import { payout } from './query/payout.ts'
import { payoutMethod } from './query/payoutMethod.ts'
import { payoutMethods } from './query/payoutMethods.ts'
import { payouts } from './query/payouts.ts'
import { reconciliationReport } from './query/reconciliationReport.ts'
import { recordedPayouts } from './query/recordedPayouts.ts'
import { signingKeys } from './query/signingKeys.ts'
import { unansweredGatewayPayments } from './query/unansweredGatewayPayments.ts'
import { webhookDeliveries } from './query/webhookDeliveries.ts'
import { webhookDelivery } from './query/webhookDelivery.ts'
import { ReadBacklog } from './ReadBacklog.ts'
import { Refund } from './Refund.ts'
import { SigningKey } from './SigningKey.ts'
import { gatewayPaymentUpdates } from './subscription/gatewayPaymentUpdates.ts'
import { paymentAgreementUpdates } from './subscription/paymentAgreementUpdates.ts'
import { paymentContactUpdates } from './subscription/paymentContactUpdates.ts'
import { paymentEventStream } from './subscription/paymentEventStream.ts'
import { paymentLinkUpdates } from './subscription/paymentLinkUpdates.ts'
import { paymentUpdates } from './subscription/paymentUpdates.ts'
import { payoutUpdates } from './subscription/payoutUpdates.ts'
import { WebhookDelivery } from './WebhookDelivery.ts'

/** All resolvers, by type name. */
export const resolvers: Resolvers = {
  Query: {
    paymentCurrencies,
    payinMethods,
    payinMethod,
    paymentLink,
    paymentsNode,
    paymentLinks,
    payment,
    payments,
    paymentSearch,
    paymentEvents,
    signingKeys,
    webhookDeliveries,
    webhookDelivery,
    payerErasures,
    paymentImports,
    paymentImport,
    reconciliationReport,
    paymentAgreement,
    paymentAgreements,
    payoutMethods,
    payoutMethod,
    payout,
    payouts,
    recordedPayouts,
    gatewayPayment,
    gatewayPayments,
    unansweredGatewayPayments,
    balances,
    accountBalances,
    balanceHistory,
    bankLookup,
    paymentCustomer,
    paymentCustomers,
    paymentContact,
    paymentContacts,
    paymentsHealth,
  },
  Mutation: {
    createPaymentLink,
    refreshPayment,
    createPayin,
    createGatewayPayment,
    refundPayment,
    createPaymentAgreement,
    amendPaymentAgreement,
    changePaymentAgreementStatus,
    createPayout,
    createPayoutFromFile,
    cancelScheduledPayout,
    createPaymentCustomer,
    updatePaymentCustomer,
    createPaymentContact,
    requestIdentityCheck,
    createPaymentsExport,
    replayWebhookDelivery,
    importPayments,
    dismissDuplicatePayment,
    settleGatewayPayment,
    settleGatewayPaymentCreation,
    erasePayer,
    simulatePayin,
    simulateDeposit,
  },
  Subscription: {
    paymentLinkUpdates,
    paymentUpdates,
    paymentAgreementUpdates,
    payoutUpdates,
    gatewayPaymentUpdates,
    paymentContactUpdates,
    paymentEventStream,
  },
  DuplicatePayment,
  PaymentAmount,
  PaymentCurrency,
  PayinMethod,
  PayinMethodTraits,
  PaymentLink,
  Payment,
  PaymentNextAction,
  PaymentFailure,
  PaymentEvent,
  PaymentContactStreamItem,
  PaymentStreamItem,
  Refund,
  AccountBalance,
  AccountBalanceFailure,
  BalanceMovement,
  PaymentAgreement,
  Payout,
  PayoutMethod,
  PayoutTransaction,
  GatewayPayment,
  GatewayPaymentCreation,
  CreateGatewayPaymentSuccess,
  SigningKey,
  WebhookDelivery,
  PayerErasure,
  PaymentImport,
  PaymentCustomer,
  PaymentContact,
  PaymentPersonalDetails,
  IdentityDocument,
  IdentityResult,
  PaymentsHealth,
  ReadBacklog,
}

import { type BalanceCalls, balanceCalls } from './balances.ts'
import { type BankLookupCalls, bankLookupCalls } from './bank-lookup.ts'
import { type DepositCalls, depositCalls } from './deposits.ts'
import { type GatewayPaymentCalls, gatewayPaymentCalls } from './gateway-payments.ts'
import { type PayinLinkCalls, payinLinkCalls } from './payin-links.ts'
import { type PayinMethodCalls, payinMethodCalls } from './payin-methods.ts'
import { type PayinCalls, payinCalls } from './payins.ts'
import { type PaymentAgreementCalls, paymentAgreementCalls } from './payment-agreements.ts'
import { type PayoutCalls, payoutCalls } from './payouts.ts'
import { createTransport, type TransportOptions } from './transport.ts'

/** Everything that we ask the service, one group of endpoints beside the other. */
export type UpstreamClient = PayinMethodCalls &
  PayinLinkCalls &
  PayinCalls &
  PayoutCalls &
  PaymentAgreementCalls &
  GatewayPaymentCalls &
  BalanceCalls &
  BankLookupCalls &
  DepositCalls & {
    /** Lets running requests end, then closes the connections. */
    close(): Promise<void>
  }

/** Opens the client of the service. Throws `TypeError` for a base address that is neither https nor on loopback. */
export function createUpstreamClient(options: TransportOptions): UpstreamClient {
  const transport = createTransport(options)
  return {
    ...payinMethodCalls(transport),
    ...payinLinkCalls(transport),
    ...payinCalls(transport),
    ...payoutCalls(transport),
    ...paymentAgreementCalls(transport),
    ...gatewayPaymentCalls(transport),
    ...balanceCalls(transport),
    ...bankLookupCalls(transport),
    ...depositCalls(transport),
    close: () => transport.close(),
  }
}

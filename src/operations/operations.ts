import { randomBytes, randomUUID } from 'node:crypto'
import type { AgreementRequest, AmendmentRequest } from '../domain/agreement-rules.ts'
import type { DepositRequest } from '../domain/deposit-rules.ts'
import type { GatewayRequest } from '../domain/gateway-rules.ts'
import type { PayinMethod } from '../domain/payin-method.ts'
import type { PayinRequest } from '../domain/payin-rules.ts'
import type { LinkRequest } from '../domain/payment-link-rules.ts'
import type { PayoutRequest } from '../domain/payout-rules.ts'
import type { Logger } from '../log.ts'
import type { Reader } from '../reconcile/reader.ts'
import type { ReadSubject, Store } from '../store/store.ts'
import type { UpstreamClient } from '../upstream/client.ts'
import type { MethodCache } from '../upstream/method-cache.ts'
import type { Sites } from '../upstream/sites.ts'
import type { CallbackOptions } from './callback-address.ts'
import { cancelScheduledPayout, type CancelOutcome, type CancelRequest } from './cancel-scheduled-payout.ts'
import {
  amendPaymentAgreement,
  changePaymentAgreementStatus,
  type ChangeOutcome,
  type StatusRequest,
} from './change-payment-agreement.ts'
import { createGatewayPayment, type GatewayOutcome } from './create-gateway-payment.ts'
import { createPayin, type PayinOutcome } from './create-payin.ts'
import { createPaymentAgreement, type AgreementOutcome } from './create-payment-agreement.ts'
import { createPaymentLink, type LinkOutcome } from './create-payment-link.ts'
import { createPayout, type PayoutOutcome } from './create-payout.ts'
import { lookUpBank, type BankLookupOutcome } from './look-up-bank.ts'
import type { MethodRequirementsReader } from './method-requirements.ts'
import { createOnce } from './once.ts'
import {
  findSiteOfPayout,
  listPayouts,
  readBalances,
  type BalanceList,
  type FoundPayout,
  type PayoutList,
} from './payouts.ts'
import { refreshPayment, type RefreshOutcome } from './refresh-payment.ts'
import { refundPayment, type RefundOutcome, type RefundRequest } from './refund-payment.ts'
import { replayDelivery, type ReplayDeliveryOutcome, type ReplayRequest } from './replay-delivery.ts'
import {
  simulateDeposit,
  simulatePayin,
  type SimulateDepositOutcome,
  type SimulatePayinOutcome,
  type SimulatePayinRequest,
} from './simulate.ts'

/** Everything that a client can have done or asked of the service, each with its expected failures as data. */
export type Operations = {
  createPaymentLink(request: LinkRequest): Promise<LinkOutcome>
  createPayin(request: PayinRequest): Promise<PayinOutcome>
  createGatewayPayment(request: GatewayRequest): Promise<GatewayOutcome>
  refundPayment(request: RefundRequest): Promise<RefundOutcome>
  refreshPayment(id: string): Promise<RefreshOutcome>
  replayDelivery(request: ReplayRequest): Promise<ReplayDeliveryOutcome>
  createPaymentAgreement(request: AgreementRequest): Promise<AgreementOutcome>
  amendPaymentAgreement(request: AmendmentRequest): Promise<ChangeOutcome>
  changePaymentAgreementStatus(request: StatusRequest): Promise<ChangeOutcome>
  createPayout(request: PayoutRequest): Promise<PayoutOutcome>
  cancelScheduledPayout(request: CancelRequest): Promise<CancelOutcome>
  simulatePayin(request: SimulatePayinRequest): Promise<SimulatePayinOutcome>
  simulateDeposit(request: DepositRequest): Promise<SimulateDepositOutcome>
  lookUpBank(qrContent: string): Promise<BankLookupOutcome>
  payout(id: string): Promise<FoundPayout>
  payouts(query: { from: Date; to: Date; page: number; currency: string | null }): Promise<PayoutList>
  balances(currencies: readonly string[] | null): Promise<BalanceList>
}

export type OperationsOptions = CallbackOptions & {
  readonly store: Store
  readonly reader: Reader<ReadSubject>
  readonly upstream: UpstreamClient
  readonly methods: MethodCache<PayinMethod>
  readonly requirements: MethodRequirementsReader
  readonly sites: Sites
  readonly logger: Logger
  readonly clock: () => Date
  /** Whether the service that we speak to is its sandbox. */
  readonly sandbox: boolean
  /** Called when a payment or agreement is to be read. */
  readonly onReadDue: () => void
}

/** 128 bits, in characters that need no escaping in an address. */
const newRef = (): string => randomBytes(16).toString('base64url')

export function createOperations(options: OperationsOptions): Operations {
  const { store, keys, logger, clock } = options
  const once = createOnce({
    commands: store.commands,
    keys,
    logger,
    clock,
    owner: randomUUID(),
    newId: randomUUID,
    newRef,
  })
  const parts = { ...options, once, searches: new Map() }
  return {
    createPaymentLink: (request) => createPaymentLink(parts, request),
    createPayin: (request) => createPayin(parts, request),
    createGatewayPayment: (request) => createGatewayPayment(parts, request),
    refundPayment: (request) => refundPayment(parts, request),
    refreshPayment: (id) => refreshPayment(parts, id),
    replayDelivery: (request) => replayDelivery(parts, request),
    createPaymentAgreement: (request) => createPaymentAgreement(parts, request),
    amendPaymentAgreement: (request) => amendPaymentAgreement(parts, request),
    changePaymentAgreementStatus: (request) => changePaymentAgreementStatus(parts, request),
    createPayout: (request) => createPayout(parts, request),
    cancelScheduledPayout: (request) => cancelScheduledPayout(parts, request),
    simulatePayin: (request) => simulatePayin(parts, request),
    simulateDeposit: (request) => simulateDeposit(parts, request),
    lookUpBank: (qrContent) => lookUpBank(parts, qrContent),
    payout: (id) => findSiteOfPayout(parts, id),
    payouts: (query) => listPayouts(parts, query),
    balances: (currencies) => readBalances(parts, currencies),
  }
}

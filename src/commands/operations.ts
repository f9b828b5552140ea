import { randomUUID } from 'node:crypto'
import type { DepositRequest } from '../domain/accounts/deposit-rules.ts'
import type { AgreementRequest, AmendmentRequest } from '../domain/agreements/agreement-rules.ts'
import type { Contact, Customer } from '../domain/customers/person.ts'
import type { GatewaySettlement, GatewayRequest } from '../domain/gateway/gateway-payment.ts'
import type { ImportRequest } from '../domain/imports/import-plan.ts'
import type { PayinMethod } from '../domain/methods/payin-method.ts'
import type { PayinRequest } from '../domain/payments/direct-payin.ts'
import type { LinkRequest } from '../domain/payments/payment-link.ts'
import type { PayoutFileRequest } from '../domain/payouts/payout-file.ts'
import type { PayoutRequest } from '../domain/payouts/payout-rules.ts'
import { newCorrelationId } from '../keys/derived-secrets.ts'
import {
  findContact,
  findCustomer,
  type Found,
  listContacts,
  listCustomers,
  type PersonList,
  type PersonQuery,
} from '../lookups/find-customers.ts'
import { createPayoutFinder, type PayoutLookup, listPayouts, type PayoutList } from '../lookups/find-payouts.ts'
import type { MethodRequirementsReader } from '../lookups/method-requirements.ts'
import { namedSite } from '../lookups/operation-outcome.ts'
import {
  lookUpBank,
  type BankLookupOutcome,
  readBalanceHistory,
  readBalances,
  type BalanceHistory,
  type BalanceList,
  type BalanceQuery,
} from '../lookups/read-accounts.ts'
import type { Logger } from '../observability/logger.ts'
import type { DueReader } from '../reconciliation/due-reader.ts'
import type { PaymentFinder } from '../reconciliation/imports/importer.ts'
import type { ReadSubject, Store } from '../store/store.ts'
import type { Sites } from '../upstream/client/sites.ts'
import type { UpstreamClient } from '../upstream/client/upstream-client.ts'
import type { MethodCache } from '../upstream/methods/method-cache.ts'
import type { WirePicture } from '../upstream/wire/wire-identity-check.ts'
import {
  amendPaymentAgreement,
  changePaymentAgreementStatus,
  type ChangeOutcome,
  type StatusRequest,
  createPaymentAgreement,
  type AgreementOutcome,
} from './agreements.ts'
import { createPayin, type PayinOutcome } from './create-payin.ts'
import { createPaymentLink, type LinkOutcome } from './create-payment-link.ts'
import {
  createCustomer,
  type CustomerOutcome,
  type CustomerRequest,
  type CustomerUpdateRequest,
  updateCustomer,
  type ContactOutcome,
  type ContactRequest,
  createContact,
} from './customers.ts'
import {
  createGatewayPayment,
  type GatewayOutcome,
  type CreationRequest,
  settleGatewayCreation,
  settleGatewayPayment,
  type SettleGatewayOutcome,
} from './gateway-payments.ts'
import { createIdempotentCommands, type KeyHolder } from './idempotency/idempotent-command.ts'
import type { CallbackOptions } from './idempotency/task.ts'
import {
  erasePayer,
  type EraseOutcome,
  type EraseRequest,
  replayDelivery,
  type ReplayDeliveryOutcome,
  type ReplayRequest,
} from './operator-commands.ts'
import {
  beginPaymentsExport,
  type ExportOutcome,
  type ExportRequest,
  type OpenedExport,
  openPaymentsExport,
  requestPaymentsExport,
} from './payments-export.ts'
import {
  createPayoutFromFile,
  cancelScheduledPayout,
  type CancelOutcome,
  type CancelRequest,
  createPayout,
  type PayoutOutcome,
} from './payouts.ts'
import { importPayments, type ImportOutcome, refreshPayment, type RefreshOutcome } from './refresh.ts'
import {
  dismissDuplicate,
  type DismissDuplicateOutcome,
  refundPayment,
  type RefundOutcome,
  type RefundRequest,
} from './refund-payment.ts'
import {
  type OpenedUpload,
  openUpload,
  requestIdentityUpload,
  submitIdentityCheck,
  type SubmitOutcome,
  UPLOADER,
  type UploadOutcome,
  type UploadRequest,
} from './request-identity-check.ts'
import {
  simulateDeposit,
  simulatePayin,
  type SimulateDepositOutcome,
  type SimulatePayinOutcome,
  type SimulatePayinRequest,
} from './simulate.ts'

/** All commands and reads that call the payments API; each returns its expected failures as data. */
export type Operations = {
  createPaymentLink(request: LinkRequest, holder: KeyHolder): Promise<LinkOutcome>
  createPayin(request: PayinRequest, holder: KeyHolder): Promise<PayinOutcome>
  createGatewayPayment(request: GatewayRequest, holder: KeyHolder): Promise<GatewayOutcome>
  refundPayment(request: RefundRequest, holder: KeyHolder): Promise<RefundOutcome>
  refreshPayment(id: string, mayFind: boolean): Promise<RefreshOutcome>
  importPayments(request: ImportRequest, requestedBy: string | null): Promise<ImportOutcome>
  replayDelivery(request: ReplayRequest): Promise<ReplayDeliveryOutcome>
  dismissDuplicate(paymentId: string): Promise<DismissDuplicateOutcome>
  settleGatewayPayment(id: string, settlement: GatewaySettlement): Promise<SettleGatewayOutcome>
  settleGatewayCreation(request: CreationRequest, settledBy: string | null): Promise<SettleGatewayOutcome>
  erasePayer(request: EraseRequest, requestedBy: string | null): Promise<EraseOutcome>
  createPaymentAgreement(request: AgreementRequest, holder: KeyHolder): Promise<AgreementOutcome>
  amendPaymentAgreement(request: AmendmentRequest, holder: KeyHolder): Promise<ChangeOutcome>
  changePaymentAgreementStatus(request: StatusRequest, holder: KeyHolder): Promise<ChangeOutcome>
  createPayout(request: PayoutRequest, holder: KeyHolder): Promise<PayoutOutcome>
  createPayoutFromFile(request: PayoutFileRequest, holder: KeyHolder): Promise<PayoutOutcome>
  cancelScheduledPayout(request: CancelRequest, holder: KeyHolder): Promise<CancelOutcome>
  createCustomer(request: CustomerRequest, holder: KeyHolder): Promise<CustomerOutcome>
  updateCustomer(request: CustomerUpdateRequest, holder: KeyHolder): Promise<CustomerOutcome>
  createContact(request: ContactRequest, holder: KeyHolder): Promise<ContactOutcome>
  customer(query: { id: string; site: string | null }): Promise<Found<Customer>>
  customers(query: PersonQuery): Promise<PersonList<Customer>>
  /** Null if no site serves the currency, or the named one does not. */
  contact(query: ContactQuery): Promise<Found<Contact> | null>
  contacts(query: PersonQuery): Promise<PersonList<Contact>>
  requestIdentityUpload(request: UploadRequest): Promise<UploadOutcome>
  /** Returns the upload that the grant in a URL stands for, or why it may not begin. */
  openUpload(grant: string): OpenedUpload | 'unknown' | 'expired'
  submitIdentityCheck(upload: OpenedUpload, pictures: AsyncIterable<WirePicture>): Promise<SubmitOutcome>
  requestPaymentsExport(request: ExportRequest): ExportOutcome
  /** Returns the download that the grant in a URL stands for, or why it may not begin. */
  openPaymentsExport(grant: string): OpenedExport | 'unknown' | 'expired'
  /** Returns the parts of the file; null if the download was begun before. */
  beginPaymentsExport(opened: OpenedExport): Promise<AsyncIterable<string> | null>
  simulatePayin(request: SimulatePayinRequest): Promise<SimulatePayinOutcome>
  simulateDeposit(request: DepositRequest): Promise<SimulateDepositOutcome>
  lookUpBank(qrContent: string): Promise<BankLookupOutcome>
  /** Results are in the order of the ids. */
  payoutsByIds(ids: readonly string[]): Promise<readonly PayoutLookup[]>
  payouts(query: { from: Date; to: Date; page: number; currency: string | null }): Promise<PayoutList>
  balances(query: BalanceQuery): Promise<BalanceList>
  balanceHistory(query: { from: Date; to: Date; page: number; site: string | null }): Promise<BalanceHistory>
  /** Records that the outcomes of the commands still under way are unknown, when the process ends. */
  close(): Promise<void>
}

/** A contact of the named site, or of the one that serves a currency. */
export type ContactQuery = { readonly email: string; readonly currency: string | null; readonly site: string | null }

export type OperationsOptions = CallbackOptions & {
  readonly store: Store
  readonly reader: DueReader<ReadSubject>
  readonly paymentFinder: PaymentFinder
  readonly upstream: UpstreamClient
  readonly linkMethods: MethodCache<PayinMethod>
  readonly requirements: MethodRequirementsReader
  readonly sites: Sites
  readonly logger: Logger
  readonly clock: () => Date
  /** Whether links tell the payments API the merchant's reference. */
  readonly sendLinkReference: boolean
  /** Whether the configured payments API is its sandbox. */
  readonly sandbox: boolean
  /** Called when a read of a payment or agreement has fallen due. */
  readonly onReadDue: () => void
  /** Called when an erasure is to be continued in the background. */
  readonly onErasureLeft: () => void
  /** Called when there is an import to work on in the background. */
  readonly onImportBegun: () => void
}

/** Longer than an upload may take, whose caller waits for it. */
const UPLOAD_PATIENCE_MS = 180_000

export function createOperations(options: OperationsOptions): Operations {
  const { store, keys, logger, clock } = options
  const commands = createIdempotentCommands({
    commands: store.commands,
    keys,
    logger,
    clock,
    owner: randomUUID(),
    newId: randomUUID,
    newCorrelationId,
  })
  const uploads = commands.of(UPLOADER, UPLOAD_PATIENCE_MS)
  const payoutFinder = createPayoutFinder(options)
  const shared = { ...options, payoutFinder, searches: new Map() }
  const partsFor = (holder: KeyHolder) => ({ ...shared, once: commands.of(holder) })
  return {
    createPaymentLink: (request, holder) => createPaymentLink(partsFor(holder), request),
    createPayin: (request, holder) => createPayin(partsFor(holder), request),
    createGatewayPayment: (request, holder) => createGatewayPayment(partsFor(holder), request),
    refundPayment: (request, holder) => refundPayment(partsFor(holder), request),
    refreshPayment: (id, mayFind) => refreshPayment(options, id, mayFind),
    importPayments: (request, requestedBy) => importPayments(options, request, requestedBy),
    replayDelivery: (request) => replayDelivery(options, request),
    dismissDuplicate: (paymentId) => dismissDuplicate(options, paymentId),
    settleGatewayPayment: (id, settlement) => settleGatewayPayment(options, id, settlement),
    settleGatewayCreation: (request, settledBy) => settleGatewayCreation(options, request, settledBy),
    erasePayer: (request, requestedBy) => erasePayer(options, request, requestedBy),
    createPaymentAgreement: (request, holder) => createPaymentAgreement(partsFor(holder), request),
    amendPaymentAgreement: (request, holder) => amendPaymentAgreement(partsFor(holder), request),
    changePaymentAgreementStatus: (request, holder) => changePaymentAgreementStatus(partsFor(holder), request),
    createPayout: (request, holder) => createPayout(partsFor(holder), request),
    createPayoutFromFile: (request, holder) => createPayoutFromFile(partsFor(holder), request),
    cancelScheduledPayout: (request, holder) => cancelScheduledPayout(partsFor(holder), request),
    createCustomer: (request, holder) => createCustomer(partsFor(holder), request),
    updateCustomer: (request, holder) => updateCustomer(partsFor(holder), request),
    createContact: (request, holder) => createContact(partsFor(holder), request),
    customer: (query) => findCustomer(options, query),
    customers: (query) => listCustomers(options, query),
    async contact({ email, currency, site: named }) {
      const site = namedSite(options.sites, { currency, site: named })
      return site === null ? null : findContact(options, site, email)
    },
    contacts: (query) => listContacts(options, query),
    requestIdentityUpload: (request) => requestIdentityUpload(options, request),
    openUpload: (grant) => openUpload(options, grant),
    submitIdentityCheck: (upload, pictures) => submitIdentityCheck({ ...options, once: uploads }, upload, pictures),
    requestPaymentsExport: (request) => requestPaymentsExport(options, request),
    openPaymentsExport: (grant) => openPaymentsExport(options, grant),
    beginPaymentsExport: (opened) => beginPaymentsExport(options, opened),
    simulatePayin: (request) => simulatePayin(options, request),
    simulateDeposit: (request) => simulateDeposit(options, request),
    lookUpBank: (qrContent) => lookUpBank(options, qrContent),
    payoutsByIds: payoutFinder.find,
    payouts: (query) => listPayouts(options, query),
    balances: (query) => readBalances(options, query),
    balanceHistory: (query) => readBalanceHistory(options, query),
    close: commands.close,
  }
}

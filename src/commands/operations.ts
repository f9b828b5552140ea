import { randomUUID } from 'node:crypto'
import type { PayinMethod } from '../domain/methods/payin-method.ts'
import { newCorrelationId } from '../keys/derived-secrets.ts'
import type { Store } from '../ledger/store.ts'
import { findContact, findCustomer, listContacts, listCustomers } from '../lookups/find-customers.ts'
import { createPayoutFinder, listPayouts } from '../lookups/find-payouts.ts'
import type { MethodRequirementsReader } from '../lookups/method-requirements.ts'
import { namedSite } from '../lookups/operation-outcome.ts'
import { lookUpBank, lookUpBankByImage, readBalanceHistory, readBalances } from '../lookups/read-accounts.ts'
import type { Logger } from '../observability/logger.ts'
import type { PaymentFinder } from '../reconciliation/imports/importer.ts'
import type { Sites } from '../upstream/client/sites.ts'
import type { MethodCache } from '../upstream/methods/method-cache.ts'
import type { UpstreamClient } from '../upstream/upstream-client.ts'
import type { WirePicture } from '../upstream/wire/wire-identity-check.ts'
import { amendPaymentAgreement, changePaymentAgreementStatus, createPaymentAgreement } from './agreements.ts'
import { cancelPayin } from './cancel-payin.ts'
import { createPayin } from './create-payin.ts'
import { createPaymentLink } from './create-payment-link.ts'
import { createCustomer, updateCustomer, createContact } from './customers.ts'
import { createGatewayPayment, settleGatewayCreation } from './gateway-payments.ts'
import { createIdempotentCommands, type KeyHolder } from './idempotency/idempotent-command.ts'
import type { CallbackOptions } from './idempotency/task.ts'
import { cancelReplay, erasePayer, replayDeliveries, replayDelivery } from './operator-commands.ts'
import { beginPaymentsExport, openPaymentsExport, requestPaymentsExport } from './payments-export.ts'
import { createPayoutFromFile, cancelScheduledPayout, createPayout } from './payouts.ts'
import { cancelImport, importPayments, type ReadPayment, refreshPayment } from './refresh.ts'
import { dismissDuplicate, refundPayment } from './refund-payment.ts'
import {
  type OpenedUpload,
  openUpload,
  requestIdentityUpload,
  submitIdentityCheck,
  UPLOADER,
} from './request-identity-check.ts'
import { simulateDeposit, simulatePayin } from './simulate.ts'

/** A contact of the named site, or of the one that serves a currency. */
export type ContactQuery = { readonly email: string; readonly currency: string | null; readonly site: string | null }

export type OperationsOptions = CallbackOptions & {
  readonly store: Store
  readonly readPayment: ReadPayment
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
  /** Rejects if the database could not record the result of a command. */
  readonly assertWritable: () => Promise<void>
  /** Returns the current span; null without traces. */
  readonly traceparent: () => string | null
  /** Is told the outcome of each command. */
  readonly onCommandEnded: (mutation: string, outcome: string) => void
  /** Called when a read of a payment or agreement has fallen due. */
  readonly onReadDue: () => void
  /** Called when an erasure is to be continued in the background. */
  readonly onErasureLeft: () => void
  /** Called when there is an import to work on in the background. */
  readonly onImportBegun: () => void
  /** The same of replays of deliveries. */
  readonly onReplayBegun: () => void
}

/** Longer than an upload may take, whose caller waits for it. */
const UPLOAD_PATIENCE_MS = 180_000

/** All commands and reads that call the payments API; each returns its expected failures as data. */
export type Operations = ReturnType<typeof createOperations>

export function createOperations(options: OperationsOptions) {
  const { store, keys, logger, clock } = options
  const commands = createIdempotentCommands({
    commands: store.commands,
    keys,
    logger,
    clock,
    owner: randomUUID(),
    newId: randomUUID,
    newCorrelationId,
    assertWritable: options.assertWritable,
    traceparent: options.traceparent,
    onEnded: options.onCommandEnded,
  })
  const payoutFinder = createPayoutFinder(options)
  const shared = { ...options, payoutFinder, searches: new Map() }
  const partsFor = (holder: KeyHolder) => ({ ...shared, once: commands.of(holder) })
  /** A command with an idempotency key, which belongs to its caller. */
  const keyed =
    <Request, Outcome>(command: (parts: ReturnType<typeof partsFor>, request: Request) => Promise<Outcome>) =>
    (request: Request, holder: KeyHolder) =>
      command(partsFor(holder), request)
  const plain =
    <Asked extends readonly unknown[], Outcome>(operation: (parts: OperationsOptions, ...asked: Asked) => Outcome) =>
    (...asked: Asked) =>
      operation(options, ...asked)
  const uploading = { ...options, once: commands.of(UPLOADER, UPLOAD_PATIENCE_MS) }
  return {
    createPaymentLink: keyed(createPaymentLink),
    createPayin: keyed(createPayin),
    cancelPayin: keyed(cancelPayin),
    createGatewayPayment: keyed(createGatewayPayment),
    refundPayment: keyed(refundPayment),
    refreshPayment: plain(refreshPayment),
    importPayments: plain(importPayments),
    cancelImport: plain(cancelImport),
    replayDelivery: plain(replayDelivery),
    replayDeliveries: plain(replayDeliveries),
    cancelReplay: plain(cancelReplay),
    dismissDuplicate: plain(dismissDuplicate),
    settleGatewayCreation: plain(settleGatewayCreation),
    erasePayer: plain(erasePayer),
    createPaymentAgreement: keyed(createPaymentAgreement),
    amendPaymentAgreement: keyed(amendPaymentAgreement),
    changePaymentAgreementStatus: keyed(changePaymentAgreementStatus),
    createPayout: keyed(createPayout),
    createPayoutFromFile: keyed(createPayoutFromFile),
    cancelScheduledPayout: keyed(cancelScheduledPayout),
    createCustomer: keyed(createCustomer),
    updateCustomer: keyed(updateCustomer),
    createContact: keyed(createContact),
    customer: plain(findCustomer),
    customers: plain(listCustomers),
    /** Null if no site serves the currency, or the named one does not. */
    async contact({ email, currency, site: named }: ContactQuery) {
      const site = namedSite(options.sites, { currency, site: named })
      return site === null ? null : findContact(options, site, email)
    },
    contacts: plain(listContacts),
    requestIdentityUpload: plain(requestIdentityUpload),
    openUpload: plain(openUpload),
    submitIdentityCheck: (upload: OpenedUpload, pictures: AsyncIterable<WirePicture>) =>
      submitIdentityCheck(uploading, upload, pictures),
    requestPaymentsExport: plain(requestPaymentsExport),
    openPaymentsExport: plain(openPaymentsExport),
    beginPaymentsExport: plain(beginPaymentsExport),
    simulatePayin: plain(simulatePayin),
    simulateDeposit: plain(simulateDeposit),
    lookUpBank: plain(lookUpBank),
    lookUpBankByImage: plain(lookUpBankByImage),
    /** Results are in the order of the ids. */
    payoutsByIds: payoutFinder.find,
    payouts: plain(listPayouts),
    balances: plain(readBalances),
    balanceHistory: plain(readBalanceHistory),
    /** Records that the outcomes of the commands still under way are unknown, when the process ends. */
    close: commands.close,
  }
}

import { agreementIdOf } from '../agreements/sandbox-agreement.ts'
import { isPlain } from '../payments/link-actions.ts'
import { externalId, paymentUrl } from '../payments/payment-object.ts'
import type { Agreement, AgreementStatus } from '../state/agreement.ts'
import type { SandboxContact } from '../state/customer.ts'
import {
  isPayin,
  owedTotal,
  statusOf,
  type GatewayOrder,
  type Link,
  type Payin,
  type Refund,
  type PaymentStatus,
} from '../state/link.ts'
import { totalAmount, type Payout, type PayoutStatus } from '../state/payout.ts'
import type { Deposit } from '../state/sandbox-store.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { decimalText } from '../values/decimal.ts'

/** One change of status as the control endpoints show it. */
export type HistoryView<Status extends string> = { status: Status; at: string; silent: boolean }[]

/** One link as the control endpoints show it; no payer data. */
export type LinkView = {
  uuid: string
  paymentUuid: string | null
  siteId: string
  status: PaymentStatus
  currency: string
  amount: string
  methodCode: string | null
  description: string
  /** The merchant's own reference. */
  externalId: string | null
  /** Why the payment failed. */
  errorCode: string | null
  refund: { requested: string; refunded: string } | null
  createdAt: string
  expiresAt: string
  paymentUrl: string
  /** When the next automatic step is due. */
  nextStepAt: string | null
  history: HistoryView<PaymentStatus>
}

/** A gateway payment: a link with the ids of its order. */
export type GatewayView = LinkView & { paymentId: number; orderId: string }

/** A payin: a link with the total amount that the payer has to pay. */
export type PayinView = LinkView & { total: string }

export type AgreementView = {
  id: number
  paymentAgreementId: string
  clientTransactionId: string
  siteId: string
  status: AgreementStatus
  limitAmount: string
  createdAt: string
  nextStepAt: string | null
  history: HistoryView<AgreementStatus>
}

export type PayoutView = {
  uuid: string
  /** The number by which a v1 payout is read; null for one of v2. */
  number: number | null
  siteId: string
  status: PayoutStatus
  currency: string
  totalAmount: string
  methodCode: string
  description: string
  externalId: string | null
  errorCode: string | null
  createdAt: string
  nextStepAt: string | null
  transactions: { uuid: string; amount: string; status: string }[]
  history: HistoryView<PayoutStatus>
}

/** A contact without the person's data, apart from the address that is its id. */
export type ContactView = { siteId: string; email: string; createdAt: string; checks: readonly string[] }

export type DepositView = { siteId: string; currency: string; amount: string; at: string }

/** All links, payins, agreements, payouts, contacts, gateway payments and deposits of a sandbox, with counters. */
export type SandboxState = {
  now: string
  /** Number of changes since the start, as the change feed counts them. */
  version: number
  webhookForm: 'flat' | 'nested'
  counters: {
    links: number
    payments: number
    agreements: number
    payins: number
    payouts: number
    contacts: number
    gatewayPayments: number
    deposits: number
    calls: number
    webhooks: number
    attempts: number
    faultsLeft: number
  }
  links: LinkView[]
  agreements: AgreementView[]
  payins: PayinView[]
  payouts: PayoutView[]
  contacts: ContactView[]
  gatewayPayments: GatewayView[]
  deposits: DepositView[]
}

/** Returns the whole state as the control endpoints show it, or the selected part of each list. */
export function stateOf(store: SandboxStore, options: ListOptions = {}): SandboxState {
  const all = [...store.links.values()]
  const links = all.filter(isPlain)
  const payins = all.filter(isPayin)
  const gatewayPayments = all.filter(isGatewayPayment)
  const { records } = store.sender
  return {
    now: store.clock.now().toISOString(),
    version: store.changes.version,
    webhookForm: store.webhookForm,
    counters: {
      links: links.length,
      payments: all.filter((link) => link.payment !== undefined).length,
      agreements: store.agreements.size,
      payins: payins.length,
      payouts: store.payouts.size,
      contacts: store.contacts.size,
      gatewayPayments: gatewayPayments.length,
      deposits: store.deposits.length,
      calls: store.calls.length,
      webhooks: records.length,
      attempts: records.reduce((sum, record) => sum + record.attempts.length, 0),
      faultsLeft: store.faults.left,
    },
    links: listed(links, (link) => linkView(store, link), options),
    agreements: listed([...store.agreements.values()], agreementView, options),
    payins: listed(payins, (payin) => payinView(store, payin), options),
    payouts: listed([...store.payouts.values()], payoutView, options),
    contacts: listed([...store.contacts.values()], contactView, options),
    gatewayPayments: listed(gatewayPayments, (link) => ({ ...linkView(store, link), ...link.gateway }), options),
    deposits: listed(store.deposits, depositView, options),
  }
}

/** Returns one link, payin or gateway payment. */
export function linkView(store: SandboxStore, link: Link): LinkView {
  const { payment, request } = link
  return {
    uuid: link.uuid,
    paymentUuid: payment?.uuid ?? null,
    siteId: link.siteId,
    status: statusOf(link),
    currency: request.currency,
    amount: decimalText(request.amount),
    methodCode: payment?.method.code ?? request.methodCode,
    description: request.description,
    externalId: externalId(link),
    errorCode: payment?.payCode?.['error_code'] ?? null,
    refund: refundView(payment?.refund),
    createdAt: link.createdAt.toISOString(),
    expiresAt: link.expiresAt.toISOString(),
    paymentUrl: paymentUrl(store, link),
    nextStepAt: link.step?.dueAt.toISOString() ?? null,
    history: historyView(payment?.history ?? []),
  }
}

/** Returns one agreement without payer data. */
export function agreementView(agreement: Agreement): AgreementView {
  return {
    id: agreement.id,
    paymentAgreementId: agreementIdOf(agreement),
    clientTransactionId: agreement.request.clientTransactionId,
    siteId: agreement.siteId,
    status: agreement.status,
    limitAmount: decimalText(agreement.terms.limitAmount),
    createdAt: agreement.createdAt.toISOString(),
    nextStepAt: agreement.step?.dueAt.toISOString() ?? null,
    history: historyView(agreement.history),
  }
}

/** Returns one payout batch without payee data. */
export function payoutView(payout: Payout): PayoutView {
  return {
    uuid: payout.uuid,
    number: payout.v1?.number ?? null,
    siteId: payout.siteId,
    status: payout.status,
    currency: payout.currency,
    totalAmount: decimalText(totalAmount(payout)),
    methodCode: payout.request.methodCode,
    description: payout.request.description,
    externalId: payout.request.externalId,
    errorCode: payout.error?.code ?? null,
    createdAt: payout.createdAt.toISOString(),
    nextStepAt: payout.step?.dueAt.toISOString() ?? null,
    transactions: payout.transactions.map(({ uuid, amount, status }) => ({
      uuid,
      amount: decimalText(amount),
      status,
    })),
    history: historyView(payout.history),
  }
}

function payinView(store: SandboxStore, payin: Payin): PayinView {
  return { ...linkView(store, payin), total: decimalText(owedTotal(payin)) }
}

function isGatewayPayment(link: Link): link is Link & { gateway: GatewayOrder } {
  return link.gateway !== undefined
}

function refundView(refund: Refund | undefined): LinkView['refund'] {
  if (refund === undefined) return null
  return { requested: decimalText(refund.requested), refunded: decimalText(refund.refunded) }
}

function contactView({ siteId, email, createdAt, results }: SandboxContact): ContactView {
  return { siteId, email, createdAt: createdAt.toISOString(), checks: results.map((result) => result.kyc_status) }
}

function depositView({ siteId, currency, amount, at }: Deposit): DepositView {
  return { siteId, currency, amount: decimalText(amount), at: at.toISOString() }
}

function historyView<Status extends string>(
  history: readonly { status: Status; at: Date; silent: boolean }[],
): HistoryView<Status> {
  return history.map(({ status, at, silent }) => ({ status, at: at.toISOString(), silent }))
}

/**
 * Selects entries of a list. With either option the newest entries come first; with none, all entries in order of
 * occurrence.
 */
export type ListOptions = {
  /** Maximum number of entries. */
  limit?: number
  /** Only entries with a text or number that contains this text, ignoring case. */
  search?: string
}

/** Returns the selected entries of an append-only list in the form that is shown. */
export function listed<Entry, View extends object>(
  entries: readonly Entry[],
  view: (entry: Entry) => View,
  { limit, search }: ListOptions = {},
): View[] {
  if (limit === undefined && search === undefined) return entries.map(view)
  const needle = search?.toLowerCase() ?? ''
  const found: View[] = []
  for (let index = entries.length - 1; index >= 0 && found.length < (limit ?? Infinity); index -= 1) {
    const entry = entries[index]
    if (entry === undefined) continue
    const shown = view(entry)
    if (mentions(shown, needle)) found.push(shown)
  }
  return found
}

function mentions(view: object, needle: string): boolean {
  if (needle === '') return true
  return Object.values(view).some(
    (value) => (typeof value === 'string' || typeof value === 'number') && String(value).toLowerCase().includes(needle),
  )
}

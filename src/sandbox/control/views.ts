import { agreementIdOf } from '../agreements/agreement.ts'
import type { Agreement, AgreementStatus } from '../agreements/agreement.ts'
import { decimalText } from '../decimal.ts'
import type { Deposit } from '../deposits.ts'
import { isPayin, owedTotal, statusOf } from '../link.ts'
import type { Link, Payin } from '../link.ts'
import { isPlain } from '../links.ts'
import { paymentUrl } from '../payment-facts.ts'
import { totalAmount } from '../payouts/payout.ts'
import type { Payout, PayoutStatus } from '../payouts/payout.ts'
import type { PaymentStatus } from '../status.ts'
import type { World } from '../world.ts'

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
  createdAt: string
  expiresAt: string
  paymentUrl: string
  /** When the next automatic step is due. */
  nextStepAt: string | null
  history: HistoryView<PaymentStatus>
}

/** A gateway payment: a link with the numbers of its order. */
export type GatewayView = LinkView & { paymentId: number; orderId: string }

/** A payin: as a link, with what the payer owes in all. */
export type PayinView = LinkView & { total: string; externalId: string | null }

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
  siteId: string
  status: PayoutStatus
  currency: string
  totalAmount: string
  methodCode: string
  errorCode: string | null
  createdAt: string
  nextStepAt: string | null
  transactions: { uuid: string; amount: string; status: string }[]
  history: HistoryView<PayoutStatus>
}

export type DepositView = { siteId: string; currency: string; amount: string; at: string }

/** All that happened to links, payins, agreements, payouts and deposits. */
export type SandboxState = {
  now: string
  webhookForm: 'flat' | 'nested'
  counters: {
    links: number
    payments: number
    agreements: number
    payins: number
    payouts: number
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
  gatewayPayments: GatewayView[]
  deposits: DepositView[]
}

/** The whole state, as the control endpoints show it. */
export function stateOf(world: World): SandboxState {
  const all = [...world.links.values()]
  const links = all.filter(isPlain)
  const payins = all.filter(isPayin)
  const gatewayPayments = all.flatMap((link) => gatewayView(world, link))
  const { records } = world.sender
  return {
    now: world.clock.now().toISOString(),
    webhookForm: world.webhookForm,
    counters: {
      links: links.length,
      payments: all.filter((link) => link.payment !== undefined).length,
      agreements: world.agreements.size,
      payins: payins.length,
      payouts: world.payouts.size,
      gatewayPayments: gatewayPayments.length,
      deposits: world.deposits.length,
      calls: world.calls.length,
      webhooks: records.length,
      attempts: records.reduce((sum, record) => sum + record.attempts.length, 0),
      faultsLeft: world.faults.left,
    },
    links: links.map((link) => linkView(world, link)),
    agreements: [...world.agreements.values()].map(agreementView),
    payins: payins.map((payin) => payinView(world, payin)),
    payouts: [...world.payouts.values()].map(payoutView),
    gatewayPayments,
    deposits: world.deposits.map(depositView),
  }
}

/** One link, payin or gateway payment. */
export function linkView(world: World, link: Link): LinkView {
  const { payment, request } = link
  return {
    uuid: link.uuid,
    paymentUuid: payment?.uuid ?? null,
    siteId: link.siteId,
    status: statusOf(link),
    currency: request.currency,
    amount: decimalText(request.amount),
    methodCode: payment?.method.code ?? request.methodCode,
    createdAt: link.createdAt.toISOString(),
    expiresAt: link.expiresAt.toISOString(),
    paymentUrl: paymentUrl(world, link),
    nextStepAt: link.step?.dueAt.toISOString() ?? null,
    history: historyView(payment?.history ?? []),
  }
}

/** One agreement; no payer data. */
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

/** One payout batch; no payee data. */
export function payoutView(payout: Payout): PayoutView {
  return {
    uuid: payout.uuid,
    siteId: payout.siteId,
    status: payout.status,
    currency: payout.currency,
    totalAmount: decimalText(totalAmount(payout)),
    methodCode: payout.request.methodCode,
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

function payinView(world: World, payin: Payin): PayinView {
  return { ...linkView(world, payin), total: decimalText(owedTotal(payin)), externalId: payin.payin.externalId }
}

function gatewayView(world: World, link: Link): GatewayView[] {
  return link.gateway === undefined ? [] : [{ ...linkView(world, link), ...link.gateway }]
}

function depositView({ siteId, currency, amount, at }: Deposit): DepositView {
  return { siteId, currency, amount: decimalText(amount), at: at.toISOString() }
}

function historyView<Status extends string>(
  history: readonly { status: Status; at: Date; silent: boolean }[],
): HistoryView<Status> {
  return history.map(({ status, at, silent }) => ({ status, at: at.toISOString(), silent }))
}

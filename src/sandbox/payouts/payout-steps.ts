import { stringifyExactJson } from '../../lib/exact-json.ts'
import { balanceOf } from '../accounts/sandbox-balances.ts'
import { isZeroDecimal } from '../methods/methods.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { compareDecimals, decimal } from '../values/decimal.ts'
import { tell, signatureOf } from '../webhooks/webhook-composer.ts'
import type { WebhookSource } from '../webhooks/webhook-faults.ts'
import type { OutgoingWebhook, WebhookKind } from '../webhooks/webhook-sender.ts'
import {
  totalAmount,
  type Payout,
  type PayoutError,
  type PayoutStatus,
  type PayoutTransaction,
  payoutRecord,
} from './sandbox-payout.ts'

/** A batch without funds is retried every hour; after a day it expires. One of v1 is retried only if `is_retry` says so. */
const TRY_AGAIN_MS = 60 * 60_000
const LONGEST_WAIT_MS = 24 * TRY_AGAIN_MS

/** Moves a batch to a status, sends the webhook and cancels the planned step. Never rejects. */
export async function movePayout(
  store: SandboxStore,
  payout: Payout,
  status: PayoutStatus,
  { silent = false }: { silent?: boolean } = {},
): Promise<void> {
  payout.step?.cancel()
  payout.step = undefined
  payout.status = status
  payout.history.push({ status, at: store.clock.now(), silent })
  concludeTransactions(payout)
  if (!silent) await tell(store, payout, composePayoutWebhook(store, payout, 'transition'))
}

/** Starts a batch; when the funds are insufficient, the batch waits for them (gap sheet, section 19). */
export async function begin(store: SandboxStore, payout: Payout): Promise<void> {
  payout.error = shortage(store, payout)
  if (payout.error === undefined) await run(store, payout)
  else await waitForFunds(store, payout, payout.error)
}

/** Plans the step of a batch again that was planned before a restart. */
export function resumePayout(store: SandboxStore, payout: Payout, at: Date): void {
  const next =
    payout.status === 'processing' ? () => movePayout(store, payout, 'completed') : () => begin(store, payout)
  payout.step = store.clock.schedule(at, next)
}

async function run(store: SandboxStore, payout: Payout): Promise<void> {
  const firstAttempt = movePayout(store, payout, 'processing')
  payout.step = store.clock.after(store.paceMs, () => movePayout(store, payout, 'completed'))
  await firstAttempt
}

async function waitForFunds(store: SandboxStore, payout: Payout, error: PayoutError): Promise<void> {
  const now = store.clock.now()
  payout.fundsUntil ??= new Date(now.getTime() + LONGEST_WAIT_MS)
  const givesUp = error === NO_FUNDS && payout.v1?.isRetry === false
  if (givesUp || now >= payout.fundsUntil) return movePayout(store, payout, 'expired')
  const firstAttempt = payout.status === 'scheduled' ? undefined : movePayout(store, payout, 'scheduled')
  const afterMs = error === CHARGES_MANDATE ? store.paceMs : TRY_AGAIN_MS
  payout.step = store.clock.after(afterMs, () => begin(store, payout))
  return firstAttempt
}

function shortage(store: SandboxStore, payout: Payout): PayoutError | undefined {
  if (hasMagic(payout, MAGIC_PAYOUTS.noFunds)) return NO_FUNDS
  if (hasMagic(payout, MAGIC_PAYOUTS.mandate)) return payout.error === undefined ? CHARGES_MANDATE : undefined
  const { available } = balanceOf(store, payout.siteId, payout.currency)
  return compareDecimals(available, totalAmount(payout)) < 0 ? NO_FUNDS : undefined
}

/** Single failed transactions do not stop a batch; an expired batch pays no one. */
function concludeTransactions({ status, currency, transactions }: Payout): void {
  if (status !== 'completed' && status !== 'expired') return
  for (const transaction of transactions) {
    const isRefused = status === 'expired' || isMagic(transaction, currency, MAGIC_PAYOUTS.refused)
    transaction.status = isRefused ? 'failed' : 'settled'
    transaction.errorMessage = isRefused ? REASONS[status] : null
  }
}

const REASONS = {
  completed: 'The bank of the payee refused the transfer.',
  expired: 'The payout was not made.',
} as const

/** One row of the payout magic table: a transaction with this amount has this effect. */
export type MagicPayout = { effect: string; amount: string; zeroDecimalAmount: string }

/** Amounts that select the outcome of a batch. */
export const MAGIC_PAYOUTS = {
  noFunds: { effect: 'the batch never finds funds: svc_PAYOUT1', amount: '777.01', zeroDecimalAmount: '77701' },
  mandate: { effect: 'the batch is late by one step: svc_PAYOUT2', amount: '777.02', zeroDecimalAmount: '77702' },
  refused: { effect: 'the transaction fails, the batch completes', amount: '777.03', zeroDecimalAmount: '77703' },
} as const satisfies Record<string, MagicPayout>

/** Insufficient balance, and no mandate that the payments API could charge. */
const NO_FUNDS: PayoutError = {
  code: 'svc_PAYOUT1',
  message: 'There is not enough balance. Top it up.',
}

/** Insufficient balance; the payments API charges the merchant's own mandate, and the batch continues. */
const CHARGES_MANDATE: PayoutError = {
  code: 'svc_PAYOUT2',
  message: 'There is not enough balance. Your mandate will be charged.',
}

/** Whether a batch has a transaction with this magic amount. */
function hasMagic({ transactions, currency }: Payout, row: MagicPayout): boolean {
  return transactions.some((transaction) => isMagic(transaction, currency, row))
}

/** Whether a transaction has this magic amount. */
function isMagic({ amount }: PayoutTransaction, currency: string, row: MagicPayout): boolean {
  return compareDecimals(amount, decimal(isZeroDecimal(currency) ? row.zeroDecimalAmount : row.amount)) === 0
}

/** Webhook source for a payout, as the webhook faults use it. */
export function payoutWebhookSource(store: SandboxStore, payout: Payout): WebhookSource<PayoutStatus> {
  return {
    subject: payout.uuid,
    holder: payout,
    compose: (kind, status) => composePayoutWebhook(store, payout, kind, status),
  }
}

/** Composes the webhook of a batch: its record, signed like every outgoing webhook (gap sheet, section 25.3). */
function composePayoutWebhook(
  store: SandboxStore,
  payout: Payout,
  kind: WebhookKind,
  status: PayoutStatus = payout.status,
): OutgoingWebhook {
  const body = stringifyExactJson(payoutRecord(payout, status))
  return {
    subject: payout.uuid,
    kind,
    status,
    url: payout.request.target.endpointUrl,
    authorization: payout.request.target.authorizationHeader,
    body,
    signature: signatureOf(store, body),
  }
}

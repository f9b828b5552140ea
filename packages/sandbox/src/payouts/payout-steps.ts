import { randomBytes, randomInt } from 'node:crypto'
import { stringifyExactJson } from 'payments-subgraph-lib/exact-json'
import { balanceOf } from '../accounts/sandbox-balances.ts'
import { isZeroDecimal } from '../methods/methods.ts'
import { isTaken } from '../payments/link-actions.ts'
import {
  totalAmount,
  type Payout,
  type PayoutError,
  type PayoutStatus,
  type PayoutTransaction,
  type PayeeRequest,
  type PayoutRequest,
} from '../state/payout.ts'
import { type SandboxStore, type SandboxSite, newUuid } from '../state/sandbox-store.ts'
import type { OutgoingWebhook, WebhookKind } from '../state/webhook-sender.ts'
import { compareDecimals, decimal } from '../values/decimal.ts'
import { tell, signatureOf, type WebhookSource } from '../webhooks/webhook-faults.ts'
import { payoutRecord } from './sandbox-payout.ts'

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
async function begin(store: SandboxStore, payout: Payout): Promise<void> {
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

/** Stores a new batch and schedules it: at its own time, or one step of the sandbox clock from now. With `v1`, it is one of v1. */
export function createPayout(
  store: SandboxStore,
  site: SandboxSite,
  request: PayoutRequest,
  v1?: { readonly isRetry: boolean },
): Payout {
  const createdAt = store.clock.now()
  const payout: Payout = {
    uuid: newUuid((uuid) => isTaken(store, uuid)),
    siteId: site.id,
    currency: request.currency,
    v1: v1 && { ...v1, number: newNumber(store) },
    request,
    createdAt,
    transactions: request.payees.map(newTransaction),
    history: [{ status: 'created', at: createdAt, silent: true }],
    status: 'created',
    error: undefined,
    fundsUntil: undefined,
    step: undefined,
    held: undefined,
  }
  store.payouts.set(payout.uuid, payout)
  if (request.scheduledAt !== undefined) void movePayout(store, payout, 'scheduled')
  const startsAt = request.scheduledAt ?? new Date(createdAt.getTime() + store.paceMs)
  payout.step = store.clock.schedule(startsAt, () => begin(store, payout))
  return payout
}

/** Returns the site's v2 batch with this uuid. */
export function findPayout(store: SandboxStore, site: SandboxSite, uuid: string): Payout | undefined {
  const payout = store.payouts.get(uuid)
  return payout?.siteId === site.id && payout.v1 === undefined ? payout : undefined
}

/** Returns the site's v1 batch with this number. */
export function findV1Payout(store: SandboxStore, site: SandboxSite, number: number): Payout | undefined {
  return [...store.payouts.values()].find(({ siteId, v1 }) => siteId === site.id && v1?.number === number)
}

/** Returns the site's batches of one version that were created between the two instants, both inclusive, newest first. */
export function listPayouts(
  store: SandboxStore,
  site: SandboxSite,
  { from, to, isV1 }: { from: Date; to: Date; isV1: boolean },
): Payout[] {
  return [...store.payouts.values()]
    .filter(({ siteId, v1 }) => siteId === site.id && (v1 !== undefined) === isV1)
    .filter(({ createdAt }) => createdAt >= from && createdAt <= to)
    .reverse()
}

/** Cancels a batch that has not started. Returns false when it is not scheduled (gap sheet, section 20). */
export function cancelScheduled(store: SandboxStore, payout: Payout): boolean {
  if (payout.status !== 'scheduled') return false
  void movePayout(store, payout, 'expired')
  return true
}

/** Returns a number that no batch has, nor, most likely, had before a reset: receivers may still know those. */
function newNumber(store: SandboxStore): number {
  const taken = new Set([...store.payouts.values()].map(({ v1 }) => v1?.number))
  for (;;) {
    const number = randomInt(100_000, 2 ** 31)
    if (!taken.has(number)) return number
  }
}

function newTransaction(request: PayeeRequest): PayoutTransaction {
  return {
    ...request,
    uuid: newUuid(() => false),
    balanceId: `${randomBytes(4).toString('hex')}-${randomBytes(4).toString('hex')}`,
    status: 'pending',
    errorMessage: null,
  }
}

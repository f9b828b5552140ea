import { createHash, randomUUID } from 'node:crypto'
import { type PaymentAgreementPayer, type AgreementReport } from '../../../src/domain/agreements/agreement-report.ts'
import type { Agreement } from '../../../src/domain/agreements/agreement.ts'
import type { GatewayPaymentReport } from '../../../src/domain/gateway/gateway-payment.ts'
import type { DirectPayin } from '../../../src/domain/payments/direct-payin.ts'
import { createdLink, type LinkRequest, type PaymentLink } from '../../../src/domain/payments/payment-link.ts'
import {
  type PaymentDetails,
  type PaymentReport,
  recogniseStatus,
} from '../../../src/domain/payments/payment-report.ts'
import type { PayoutReport } from '../../../src/domain/payouts/payout-report.ts'
import type { Payout } from '../../../src/domain/payouts/payout.ts'
import type { Store } from '../../../src/ledger/store.ts'
import type { CommandKey } from '../../../src/store/command-store.ts'
import type { NewCommand, Page, PageCursor, PageQuery, Placed } from '../../../src/store/port.ts'
import { agreementReport as reportOfAgreement } from '../../unit/domain/agreements.ts'
import { payoutReport } from '../../unit/domain/payouts.ts'

/** The instant at which the tests' clocks stand. */
export const NOW = new Date('2030-01-02T03:04:05.678Z')

export const MINUTE = 60_000

export function after(milliseconds: number, start = NOW): Date {
  return new Date(start.getTime() + milliseconds)
}

const NO_DETAILS: PaymentDetails = {
  currency: null,
  amount: null,
  total: null,
  paid: null,
  refunded: null,
  refundTotal: null,
  refundable: null,
  gst: null,
  gstAmount: null,
  reference: null,
  methodRaw: null,
  card: null,
  threeDsUrl: null,
  failureCode: null,
  failureMessage: null,
  instructions: null,
  expiresAt: null,
  createdAt: null,
}

type ReportParts = Partial<Omit<PaymentReport, 'details' | 'status'>> & { readonly details?: Partial<PaymentDetails> }

/** Returns a report of a payment by the payments API: 10.00 AUD by default. */
export function report(statusRaw: string, parts: ReportParts = {}): PaymentReport {
  return {
    paymentId: 'PAY1',
    linkId: null,
    payer: { name: null, email: null },
    ...parts,
    statusRaw,
    status: recogniseStatus(statusRaw),
    details: { ...NO_DETAILS, amount: '10.00', currency: 'AUD', ...parts.details },
  }
}

type RequestParts<Ref> = {
  readonly ref?: Ref
  readonly body?: string | null
  readonly receivedAt?: Date
  readonly bytes?: string
}

/** Returns a function that makes requests at the webhook URLs of a kind. Equal reports with equal `bytes` have the same body hash. */
function requestsAt<Report, Ref extends string | null>(ref: Ref, keepsBody: boolean) {
  return (said: Report | null, { bytes = '', ...parts }: RequestParts<Ref> = {}) => {
    const body = JSON.stringify({ said, bytes })
    const hash = createHash('sha256').update(body).digest('hex')
    const received = { ref, body: keepsBody ? body : null, receivedAt: NOW, ...parts }
    return { ...received, report: said, bodyHashes: [hash] as [string] }
  }
}

export const delivery = requestsAt<PaymentReport, string | null>(null, true)
export const callback = requestsAt<AgreementReport, string>('agr', true)
export const payoutCallback = requestsAt<PayoutReport, string>('out', false)
export const gatewayRequest = requestsAt<GatewayPaymentReport, string>('gate', false)

export function link(ref: string, parts: Partial<PaymentLink> = {}): PaymentLink {
  const request: LinkRequest = {
    idempotencyKey: `key-${ref}`,
    reference: `order-${ref}`,
    amount: { value: '25.50', currency: 'AUD' },
    description: 'Two tickets',
    customer: { email: 'ada@example.test', firstName: 'Ada', lastName: 'Payer' },
    expiresInSeconds: 60 * 60,
  }
  const made = {
    uuid: `LINK-${ref}`,
    ref,
    site: 'au',
    paymentUrl: `https://checkout.example/${ref}`,
    expiresAt: null,
    answeredAt: null,
    sentAt: NOW.getTime(),
    at: NOW,
  }
  return { ...createdLink(request, made), ...parts }
}

/** Returns the key of a command of the builders' caller by default. */
export function commandKey(mutation: string, key: string, keyScope = KEY_SCOPE): CommandKey {
  return { mutation, key, keyScope }
}

export const KEY_SCOPE = 'caller-1'

export function command(ref: string, parts: Partial<NewCommand> = {}): NewCommand {
  return {
    id: randomUUID(),
    mutation: 'createPaymentLink',
    key: `key-${ref}`,
    keyScope: KEY_SCOPE,
    fingerprint: `fingerprint-${ref}`,
    ref,
    refKind: 'link',
    site: 'au',
    owner: 'process-1',
    leaseUntil: NOW.getTime() + 30_000,
    sentAt: NOW.getTime(),
    ...parts,
  }
}

/** Records a command and settles it with its link. */
export async function settledLink(store: Store, ref: string, parts: Partial<PaymentLink> = {}): Promise<PaymentLink> {
  const { command: begun } = await store.commands.begin(command(ref))
  const made = link(ref, parts)
  await store.commands.settleWithLink(begun.id, made, NOW)
  return made
}

/** Returns a request of 25.50 AUD without a link. */
export function payin(ref: string, parts: Partial<DirectPayin> = {}): DirectPayin {
  return {
    paymentId: 'PAY1',
    ref,
    site: 'au',
    ownerId: null,
    reference: `order-${ref}`,
    requestedAmount: { value: '25.50', currency: 'AUD' },
    methodCode: 'au_bank_aud',
    createdAt: NOW.toISOString(),
    ...parts,
  }
}

export const NO_AGREEMENT_PAYER: PaymentAgreementPayer = {
  name: null,
  bsb: null,
  accountNumberMasked: null,
  payIdMasked: null,
  payIdType: null,
}

/** Returns a report of an agreement by the payments API: up to 100 AUD a month by default. */
export function agreementReport(statusRaw: string, parts: Partial<AgreementReport> = {}): AgreementReport {
  const ids = { id: 'AGR1', serviceId: '4711', clientTransactionId: 'client-1' }
  return reportOfAgreement(statusRaw, { ...ids, limit: '100.00', createdAt: NOW.toISOString(), ...parts })
}

/** Returns a command that creates an agreement: its key is the agreement's clientTransactionId. */
export function agreementCommand(ref: string, parts: Partial<NewCommand> = {}): NewCommand {
  return command(ref, { mutation: 'createPaymentAgreement', key: 'client-1', refKind: 'agreement', ...parts })
}

/** Records a command and settles it with its agreement. */
export async function settledAgreement(
  store: Store,
  ref = 'agr',
  { ownerId, ...parts }: Partial<AgreementReport> & { readonly ownerId?: string } = {},
): Promise<Agreement> {
  const key = parts.clientTransactionId ?? 'client-1'
  const { command: begun } = await store.commands.begin({ ...agreementCommand(ref, { key }), ownerId })
  const said = agreementReport(parts.statusRaw ?? 'created', parts)
  return store.commands.settleWithAgreement(begun.id, { ref, site: 'au', report: said, at: NOW })
}

/** Returns a predicate: whether a read is due 45 to 55 minutes after an event, when the retries of its webhook are over. */
export function pollAfter(event: Date): (due: Date | null) => boolean {
  return (due) => due !== null && Math.abs(due.getTime() - after(50 * MINUTE, event).getTime()) <= 5 * MINUTE
}

export async function agreementOf(store: Store, id = 'AGR1'): Promise<Agreement> {
  const [found] = await store.agreements.byIds([id])
  return present(found)
}

/** Returns the value. Throws if there is none. */
export function present<Value>(value: Value | null | undefined): Value {
  if (value === null || value === undefined) throw new Error('Expected a value, and found none.')
  return value
}

export async function paymentOf(store: Store, id = 'PAY1') {
  const [payment] = await store.payments.byIds([id])
  return present(payment)
}

export async function linkOf(store: Store, id: string): Promise<PaymentLink> {
  const [found] = await store.links.byIds([id])
  return present(found)
}

export async function events(store: Store) {
  return (await store.log.read(0, 1000)).events
}

/** Returns a command that creates a payout. */
export function payoutCommand(ref: string, parts: Partial<NewCommand> = {}): NewCommand {
  return command(ref, { mutation: 'createPayout', refKind: 'payout', ...parts })
}

/** Records a command and settles it with its payout. */
export async function settledPayout(
  store: Store,
  ref = 'out',
  parts: Partial<PayoutReport> & { readonly at?: Date; readonly site?: string } = {},
): Promise<Payout> {
  const { at = NOW, site = 'au', ...said } = parts
  const { command: begun } = await store.commands.begin(payoutCommand(ref, { site }))
  const told = payoutReport(parts.statusRaw ?? 'created', said)
  return store.commands.settleWithPayout(begun.id, { ref, site, report: told, at })
}

export async function payoutOf(store: Store, id = 'OUT1'): Promise<Payout> {
  const [found] = await store.payouts.byIds([id])
  return present(found)
}

/** Returns the ids of a list that is read by pages of a size. */
export async function pagedIds(
  pageOf: (query: PageQuery) => Promise<Page<Placed<{ readonly id: string }>>>,
  limit = 1,
): Promise<string[]> {
  const ids: string[] = []
  let before: PageCursor | null = null
  do {
    const { rows, next } = await pageOf({ limit, before })
    ids.push(...rows.map(({ row }) => row.id))
    before = next
  } while (before !== null)
  return ids
}

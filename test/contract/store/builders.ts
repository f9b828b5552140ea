import { createHash, randomUUID } from 'node:crypto'
import type { PaymentLink } from '../../../src/domain/payment-link.ts'
import { linkStreamId } from '../../../src/domain/payment-link.ts'
import type { PaymentDetails, PaymentReport } from '../../../src/domain/payment-report.ts'
import { recogniseStatus } from '../../../src/domain/payment-status.ts'
import type { IncomingDelivery, NewCommand, Store } from '../../../src/store/store.ts'

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
  refundable: null,
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

/** What the service says of a payment: 10.00 AUD, unless told otherwise. */
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

/** A webhook whose bytes are told by its report and its address, unless `bytes` tells them apart. */
export function delivery(
  said: PaymentReport | null,
  parts: Partial<Omit<IncomingDelivery, 'report' | 'bodyHashes'>> & { readonly bytes?: string } = {},
): IncomingDelivery {
  const { bytes = '', ...rest } = parts
  const body = JSON.stringify({ said, bytes })
  const hash = createHash('sha256').update(body).digest('hex')
  return { ref: null, body, receivedAt: NOW, ...rest, report: said, bodyHashes: [hash] }
}

export function link(ref: string, parts: Partial<PaymentLink> = {}): PaymentLink {
  return {
    id: `LINK-${ref}`,
    ref,
    streamId: linkStreamId(ref),
    site: 'au',
    reference: `order-${ref}`,
    checkoutUrl: `https://checkout.example/${ref}`,
    requestedAmount: { value: '25.50', currency: 'AUD' },
    description: 'Two tickets',
    methodCode: null,
    ownerId: null,
    createdAt: NOW.toISOString(),
    expiresAt: after(60 * MINUTE).toISOString(),
    expired: false,
    paymentId: null,
    ...parts,
  }
}

export function command(ref: string, parts: Partial<NewCommand> = {}): NewCommand {
  return {
    id: randomUUID(),
    mutation: 'createPaymentLink',
    key: `key-${ref}`,
    fingerprint: `fingerprint-${ref}`,
    ref,
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

/** The value, where a test cannot go on without one. */
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
  return store.log.read(0, 1000)
}

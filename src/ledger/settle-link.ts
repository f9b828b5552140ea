import { type PaymentLink, speaksForLink } from '../domain/payments/payment-link.ts'
import type { Payment } from '../domain/payments/payment.ts'
import { readAfterExpiry } from '../domain/reads/read-schedule.ts'
import { fromIso } from '../store/rows/instants.ts'
import type { PaymentRow } from '../store/rows/payment-rows.ts'
import type { Rows } from '../store/rows/rows.ts'
import { StoreConflictError } from '../store/store-errors.ts'
import { appendEvent, OF_A_LINK } from './append-events.ts'
import { findUnsettledAttempt, markSettled } from './command-records.ts'
import { joinLink, PAYMENT, updateLink } from './payment-subject.ts'
import { scheduled } from './record-answer.ts'
import type { Ledger } from './subject.ts'

/**
 * Completes a command with the link it created: stores the link, its LINK_CREATED event and the command's result. A payment that arrived at
 * the link's webhook URL earlier is assigned to the link. Idempotent for the same command and link. Throws `StoreConflictError` if the
 * command has another outcome or a later attempt, or if the link already exists.
 */
export function settleWithLink(
  ledger: Ledger,
  commandId: string,
  { link, at }: { readonly link: PaymentLink; readonly at: Date },
): void {
  const { rows } = ledger
  for (const lookup of ['id', 'namedLinkId'] as const) rows.payments.want(lookup, link.id)
  rows.payments.want('linkRef', link.ref)
  rows.links.want('id', link.id)
  rows.links.want('ref', link.ref)
  rows.payins.want('paymentId', link.id)
  rows.streams.want('id', link.streamId)
  const result = { linkId: link.id }
  if (findUnsettledAttempt(rows, commandId, { ref: link.ref, result }) === null) return
  if (rows.links.first('id', link.id) !== null)
    throw new StoreConflictError(`The payments API gave the uuid ${link.id} to a second link.`)
  if (rows.links.first('ref', link.ref) !== null)
    throw new StoreConflictError('The correlation id of the link belongs to another link.')
  rows.links.put({
    link: { ...link, paymentId: null },
    paymentPhase: null,
    confirmedAt: fromIso(link.createdAt),
    deliveries: 0,
    plan: { dueAt: readAfterExpiry(fromIso(link.expiresAt)), readClass: 'expiry', failures: 0 },
  })
  appendEvent(rows, {
    ...OF_A_LINK,
    kind: 'LINK_CREATED',
    source: 'COMMAND',
    streamId: link.streamId,
    linkRef: link.ref,
    recordedAt: at.toISOString(),
  })
  takeOverPayments(ledger, link, at)
  markSettled(rows, commandId, result)
}

function takeOverPayments(ledger: Ledger, link: PaymentLink, at: Date): void {
  const { rows, settings } = ledger
  const now = at.getTime()
  let speaker: Payment | null = null
  for (const row of paymentsThrough(rows, link)) {
    const state = joinLink(row.state, link.ref, link)
    const joined = PAYMENT.rowOf(rows, state, row, null)
    const next = PAYMENT.nextPoll(rows, state, { now, windowMs: settings.refundWindowMs, lateMs: 0 })
    const planned = next === null ? joined : scheduled(joined, next)
    rows.payments.put(planned)
    PAYMENT.follow(ledger, { before: null, row: planned, source: 'COMMAND', at })
    if (speaksForLink(state, speaker)) speaker = state
  }
  if (speaker !== null) updateLink(rows, link.ref, speaker)
}

/** Returns payments that arrived at the link's webhook URL, or named the link, before it was recorded; oldest first. */
function paymentsThrough(rows: Rows, link: PaymentLink): PaymentRow[] {
  const named = [...rows.payments.find('namedLinkId', link.id), ...rows.payments.find('id', link.id)]
  const unlinked = named.filter(({ state }) => state.linkRef === null)
  const all = new Map([...rows.payments.find('linkRef', link.ref), ...unlinked].map((row) => [row.state.id, row]))
  return [...all.values()].toSorted((a, b) => a.createdAt - b.createdAt)
}

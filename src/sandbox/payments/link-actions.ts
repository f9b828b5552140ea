import { newUuid } from '../state/ids.ts'
import type { SandboxSite, SandboxStore } from '../state/sandbox-store.ts'
import { compareDecimals } from '../values/decimal.ts'
import { failureReason } from './failures.ts'
import {
  statusOf,
  type GatewayOrder,
  type Link,
  type LinkRequest,
  type PayinTerms,
  type PaymentStatus,
  awaits3ds,
  awaitsPayer,
  awaitsPrompt,
  methodOf,
} from './link.ts'
import { paidInFull } from './payment-object.ts'
import { isTaken, announce, transition } from './transitions.ts'

/** Stores a new link and schedules its expiry. `kind` makes it a payin or a gateway payment instead. */
export function createLink(store: SandboxStore, site: SandboxSite, request: LinkRequest, kind: LinkKind = {}): Link {
  const createdAt = store.clock.now()
  const link: Link = {
    uuid: newUuid((uuid) => isTaken(store, uuid)),
    siteId: site.id,
    request,
    payin: kind.payin,
    gateway: kind.gateway,
    createdAt,
    expiresAt: kind.expiresAt ?? new Date(createdAt.getTime() + request.expiresInSeconds * 1000),
    payment: undefined,
    lapsed: false,
    step: undefined,
    held: undefined,
  }
  store.links.set(link.uuid, link)
  planExpiry(store, link, link.expiresAt)
  return link
}

/** Schedules the expiry of a link. */
export function planExpiry(store: SandboxStore, link: Link, at: Date): void {
  if (!link.lapsed) store.clock.schedule(at, () => lapse(store, link))
}

type LinkKind = { payin?: PayinTerms; gateway?: GatewayOrder; expiresAt?: Date | undefined }

/** Returns the site's link with this uuid, but no payin and no gateway payment. */
export function findLink(store: SandboxStore, site: SandboxSite, uuid: string): Link | undefined {
  const link = store.links.get(uuid)
  return link?.siteId === site.id && isPlain(link) ? link : undefined
}

/** Returns the link, payin or gateway payment with this uuid, or the link whose payment has it. */
export function findByAnyUuid(store: SandboxStore, uuid: string): Link | undefined {
  return store.links.get(uuid) ?? [...store.links.values()].find((link) => link.payment?.uuid === uuid)
}

export type LinkFilter = { status?: PaymentStatus; from?: Date; to?: Date }

/** Returns the site's links that match a filter, newest first; both dates are inclusive. */
export function listLinks(store: SandboxStore, site: SandboxSite, { status, from, to }: LinkFilter): Link[] {
  return [...store.links.values()]
    .filter((link) => link.siteId === site.id && isPlain(link))
    .filter((link) => status === undefined || statusOf(link) === status)
    .filter((link) => (from === undefined || link.createdAt >= from) && (to === undefined || link.createdAt <= to))
    .reverse()
}

/** Whether this is a v3 link. */
export function isPlain({ payin, gateway }: Link): boolean {
  return payin === undefined && gateway === undefined
}

/** After this time an unanswered prompt on a handset counts as ignored. */
const PROMPT_MS = 5 * 60_000

/** A scan of a code takes this many times the pace between two steps of a card payment. */
const SCAN_PACES = 20

/** Lifetime of a refund request (docs/payments-api.md, section 8). */
const REFUND_REQUEST_MS = 10 * 24 * 60 * 60_000

/** Refunds with one of these descriptions end in that status; all other refunds succeed. */
export const MAGIC_REFUNDS = ['return_rejected', 'return_expired'] as const

/**
 * Moves a payment to a status now, and schedules the automatic steps that follow it on the sandbox clock. Resolves after the
 * first attempt of the webhook of the first status.
 */
export async function proceed(
  store: SandboxStore,
  link: Link,
  to: PaymentStatus,
  payCode?: Readonly<Record<string, string>>,
): Promise<void> {
  const firstAttempt = transition(store, link, to, { payCode })
  planStep(store, link)
  await firstAttempt
}

/**
 * Expires a link. A link that was not started or is pending becomes `expired`; an unanswered prompt makes the payment fail
 * (docs/payments-api.md, section 2.5); payments that went further continue.
 */
export async function lapse(store: SandboxStore, link: Link): Promise<void> {
  if (link.lapsed) return
  link.lapsed = true
  if (awaitsPrompt(link)) await transition(store, link, 'failed', { payCode: promptFailure(PROMPT_IGNORED) })
  else if (link.payment === undefined) await announce(store, link)
  else if (link.payment.status === 'pending') await transition(store, link, 'expired')
}

/** The failure of a mobile money payment whose prompt was not approved. */
export function promptFailure(message: string): Readonly<Record<string, string>> {
  return { ...failureReason('customer_canceled', message) }
}

const PROMPT_IGNORED = 'The prompt on the handset was not answered in time.'

type Step = { to: PaymentStatus; afterMs: number; payCode?: Readonly<Record<string, string>> }

/** Schedules the automatic step that follows the status of a payment, if there is one; by default after the time that it takes. */
export function planStep(store: SandboxStore, link: Link, at?: Date): void {
  const step = nextStep(store, link)
  if (step === undefined) return
  const dueAt = at ?? new Date(store.clock.now().getTime() + step.afterMs)
  link.step = store.clock.schedule(dueAt, () => {
    if (step.to === 'return_received' || step.to === 'partially_refunded') bookRefund(link)
    return proceed(store, link, step.to, step.payCode)
  })
}

function nextStep(store: SandboxStore, link: Link): Step | undefined {
  const status = link.payment?.status
  if (status === 'authorised') return { to: 'waiting', afterMs: store.paceMs }
  if (status === 'waiting') return { to: 'received', afterMs: store.paceMs }
  if (status === 'return_pending') return refundStep(store, link)
  if (status !== 'pending' || awaits3ds(link)) return undefined
  if (awaitsPrompt(link)) return { to: 'failed', afterMs: PROMPT_MS, payCode: promptFailure(PROMPT_IGNORED) }
  if (awaitsPayer(link)) return undefined
  if (link.payment?.payCode?.['qr_string'] !== undefined) return { to: 'received', afterMs: store.paceMs * SCAN_PACES }
  return { to: methodOf(link)?.kind === 'card' ? 'authorised' : 'received', afterMs: store.paceMs }
}

function refundStep(store: SandboxStore, link: Link): Step | undefined {
  const refund = link.payment?.refund
  if (refund === undefined) return undefined
  const magic = MAGIC_REFUNDS.find((status) => status === refund.description)
  if (magic !== undefined) return { to: magic, afterMs: magic === 'return_expired' ? REFUND_REQUEST_MS : store.paceMs }
  const isWhole = compareDecimals(refund.requested, paidInFull(link)) >= 0
  return { to: isWhole ? 'return_received' : 'partially_refunded', afterMs: store.paceMs }
}

function bookRefund(link: Link): void {
  const refund = link.payment?.refund
  if (refund !== undefined) refund.refunded = refund.requested
}

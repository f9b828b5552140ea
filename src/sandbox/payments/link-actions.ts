import { newUuid } from '../state/ids.ts'
import type { SandboxSite } from '../state/sandbox-sites.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { statusOf } from './link.ts'
import type { GatewayOrder, Link, LinkRequest, PayinTerms } from './link.ts'
import type { PaymentStatus } from './status.ts'
import { lapse } from './steps.ts'
import { isTaken } from './transitions.ts'

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

export type LinkKind = { payin?: PayinTerms; gateway?: GatewayOrder; expiresAt?: Date | undefined }

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

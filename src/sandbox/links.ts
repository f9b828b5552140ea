import { newUuid } from './ids.ts'
import { statusOf } from './link.ts'
import type { Link, LinkRequest } from './link.ts'
import type { SandboxSite } from './sites.ts'
import type { PaymentStatus } from './status.ts'
import { lapse } from './steps.ts'
import { isTaken } from './transitions.ts'
import type { World } from './world.ts'

/** Keeps a new link, and has it lapse when its time is over. */
export function createLink(world: World, site: SandboxSite, request: LinkRequest): Link {
  const createdAt = world.clock.now()
  const link: Link = {
    uuid: newUuid((uuid) => isTaken(world, uuid)),
    siteId: site.id,
    request,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + request.expiresInSeconds * 1000),
    payment: undefined,
    lapsed: false,
    step: undefined,
    held: undefined,
  }
  world.links.set(link.uuid, link)
  world.clock.schedule(link.expiresAt, () => lapse(world, link))
  return link
}

/** The site's link with this uuid. */
export function findLink(world: World, site: SandboxSite, uuid: string): Link | undefined {
  const link = world.links.get(uuid)
  return link?.siteId === site.id ? link : undefined
}

/** The link with this uuid, or the one whose payment has it. */
export function findByAnyUuid(world: World, uuid: string): Link | undefined {
  return world.links.get(uuid) ?? [...world.links.values()].find((link) => link.payment?.uuid === uuid)
}

export type LinkFilter = { status?: PaymentStatus; from?: Date; to?: Date }

/** The site's links that a filter lets through, the newest first; both dates belong to the range. */
export function listLinks(world: World, site: SandboxSite, { status, from, to }: LinkFilter): Link[] {
  return [...world.links.values()]
    .filter((link) => link.siteId === site.id)
    .filter((link) => status === undefined || statusOf(link) === status)
    .filter((link) => (from === undefined || link.createdAt >= from) && (to === undefined || link.createdAt <= to))
    .reverse()
}

import { pay } from './checkout.ts'
import type { Network } from './network.ts'
import { createLink, LINK_UPDATES, type CreatedLink } from './operations.ts'
import type { Item } from './stream.ts'

export const ITEM_FIELDS = `kind cursor previousCursor resyncReason
  event { id kind sequence cursor source fromStatus toStatus }
  link { id state payment { id status version } }
  payment { id status version }`

export const PAYMENT_UPDATES = `subscription PaymentUpdates($id: ID!, $statusToken: String, $after: String) {
  paymentUpdates(id: $id, statusToken: $statusToken, after: $after) { ${ITEM_FIELDS} }
}`

export const EVENT_STREAM = `subscription EventStream($after: String, $filter: PaymentEventFilter) {
  paymentEventStream(after: $after, filter: $filter) { ${ITEM_FIELDS} }
}`

export const isCaughtUp = (item: Item): boolean => item.kind === 'CAUGHT_UP'
export const isReceived = (item: Item): boolean => item.event?.toStatus === 'received'

/** Sequences of the events among some items. */
export function sequences(items: readonly Item[]): number[] {
  return items.flatMap(({ event }) => (event === null || event === undefined ? [] : [event.sequence]))
}

/** Where the chain of cursors is broken: the items that do not name the one before them. */
export function brokenLinks(items: readonly Item[], from: string | null = null): Item[] {
  return items.filter((item, index) => item.previousCursor !== (items[index - 1]?.cursor ?? from))
}

/** Replays a link's stream after a cursor, up to where it is live. */
export async function replay(network: Network, id: string, after: string): Promise<Item[]> {
  const stream = await network.follow(LINK_UPDATES, { id, after })
  const items = await stream.until(isCaughtUp)
  await stream.end()
  return items
}

/** Makes a link, pays it, and gives it with everything that its stream has told, from the first item to received. */
export async function paidStream(network: Network): Promise<{ link: CreatedLink; items: Item[]; paymentId: string }> {
  const link = await createLink(network)
  const stream = await network.follow(LINK_UPDATES, { id: link.id })
  await stream.until(isCaughtUp)
  await pay(link.checkoutUrl)
  await stream.until(isReceived)
  await stream.end()
  await network.sandbox.settle()
  return { link, items: [...stream.items], paymentId: stream.items.at(-1)?.payment?.id ?? '' }
}

/** A gauge as the app's metrics show it now. */
export async function gauge(network: Network, name: string): Promise<number> {
  const text = await (await fetch(`${network.app.url}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 'NaN')
}

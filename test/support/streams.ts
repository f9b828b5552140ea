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

/** Returns the sequence numbers of the events among some items. */
export function sequences(items: readonly Item[]): number[] {
  return items.flatMap(({ event }) => (event === null || event === undefined ? [] : [event.sequence]))
}

/** Returns the items that break the chain of cursors: those whose `previousCursor` is not the cursor of the item before them. */
export function brokenLinks(items: readonly Item[], from: string | null = null): Item[] {
  return items.filter((item, index) => item.previousCursor !== (items[index - 1]?.cursor ?? from))
}

/** Replays a link's stream after a cursor. Returns the items up to CAUGHT_UP. */
export async function replay(network: Network, id: string, after: string): Promise<Item[]> {
  const stream = await network.follow(LINK_UPDATES, { id, after })
  const items = await stream.until(isCaughtUp)
  await stream.end()
  return items
}

/** Creates a link and pays it. Returns the link with all items of its stream, from the first one to `received`. */
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

/** Returns the current value of a gauge in the app's metrics; NaN if there is none. */
export async function gauge(network: Network, name: string): Promise<number> {
  const text = await (await fetch(`${network.app.url}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 'NaN')
}

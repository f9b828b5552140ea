import { keep, kept, ofBrowser } from 'payments-subgraph-pages/storage'
import { isLess, type Money, sum, times } from '../format-money.ts'
import type { Language } from '../language.ts'
import type { Catalogue, Order } from '../shop-server.ts'

/** The customer's choices before the order is placed. */
export type Basket = {
  readonly orderId: string
  readonly currency: string
  readonly quantities: Readonly<Record<string, number>>
  /** The code of a method, or `ANY_METHOD`; null until the customer chooses. */
  readonly methodCode: string | null
}

/** The customer chooses on the payment page. No code has this form. */
export const ANY_METHOD = '*'

export const MOST_OF_ONE = 99

const KEPT_AS = 'shop:basket'
const orderKeptAs = (orderId: string) => `shop:order:${orderId}`

/** Returns the basket of the last visit, or a new one with sample items. */
export function keptBasket({ currencies, items }: Catalogue): Basket {
  const before = keptAny()
  if (before !== null && currencies.includes(before.currency)) return before
  const first = items[0]
  return {
    orderId: newId(),
    currency: currencies[0] ?? '',
    quantities: first === undefined ? {} : { [first.sku]: 1 },
    methodCode: null,
  }
}

export function keepBasket(basket: Basket): void {
  keep(ofBrowser, KEPT_AS, basket)
}

/** Removes the basket after its order was paid. */
export function forgetBasket(orderId: string): void {
  if (keptAny()?.orderId === orderId) ofBrowser.removeItem(KEPT_AS)
}

export type BasketLine = {
  readonly sku: string
  readonly quantity: number
  readonly price: Money
  readonly sum: Money
}

/** Returns all items for sale, with their quantities in the basket. */
export function linesOf({ quantities, currency }: Basket, { items }: Catalogue): BasketLine[] {
  return items.flatMap(({ sku, prices }) => {
    const price = prices.find((one) => one.currency === currency)
    const quantity = quantities[sku] ?? 0
    return price === undefined ? [] : [{ sku, quantity, price, sum: times(price, quantity) }]
  })
}

/** Returns the total of the basket; null when it is empty. */
export function totalOf(lines: readonly BasketLine[]): Money | null {
  const [first] = lines
  if (first === undefined) return null
  const zero = times(first.price, 0)
  const total = sum(
    lines.map((line) => line.sum),
    zero,
  )
  return isLess(zero, total) ? total : null
}

/** Returns the order for a basket: the same attempt while the basket is unchanged, otherwise the next attempt. */
export function orderOf(basket: Basket, lines: readonly BasketLine[], language: Language): Order {
  const { orderId, currency, methodCode } = basket
  const items = lines.filter(({ quantity }) => quantity > 0).map(({ sku, quantity }) => ({ sku, quantity }))
  const method = methodCode === null || methodCode === ANY_METHOD ? {} : { methodCode }
  const order: Order = { orderId, attempt: 1, currency, items, ...method, language }
  const before = keptOrder(orderId)?.order
  if (before === undefined) return order
  const isSame = JSON.stringify({ ...before, attempt: 1 }) === JSON.stringify(order)
  return { ...order, attempt: isSame ? before.attempt : before.attempt + 1 }
}

/** The last order with an id, and its payment link; '' until there is one. It contains no secrets. */
export type KeptOrder = { readonly order: Order; readonly linkId: string }

/** Returns null when this browser does not know the order. */
export function keptOrder(orderId: string): KeptOrder | null {
  return kept(ofBrowser, orderKeptAs(orderId)) as KeptOrder | null
}

export function keepOrder(placed: KeptOrder): void {
  keep(ofBrowser, orderKeptAs(placed.order.orderId), placed)
}

/**
 * Returns the order with the next attempt, after a link of it has ended. If another tab has already requested it, both tabs
 * get the same link.
 */
export function nextAttempt({ order, linkId }: KeptOrder, endedLinkId: string): Order {
  return linkId === endedLinkId ? { ...order, attempt: order.attempt + 1 } : order
}

function keptAny(): Basket | null {
  return kept(ofBrowser, KEPT_AS) as Basket | null
}

/** Returns a random UUID; `crypto.randomUUID` exists only over https and on localhost. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  const variant = '89ab'[(bytes[8] ?? 0) % 4]
  const [a, b, c, d, e] = [
    [0, 8],
    [8, 12],
    [13, 16],
    [17, 20],
    [20, 32],
  ].map(([from, to]) => digits.slice(from, to))
  return `${a}-${b}-4${c}-${variant}${d}-${e}`
}

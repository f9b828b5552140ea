import type { PaymentsEndpoint } from 'payments-subgraph-client'
import type { Money } from './format-money.ts'
import type { Language } from './language.ts'

/** The items for sale, as the shop's server returns them. */
export type Catalogue = {
  readonly currencies: readonly string[]
  readonly items: readonly Item[]
  /** Whether faults can be triggered, because an emulator replaces the payments API. */
  readonly emulator: boolean
}

type Item = {
  readonly sku: string
  readonly names: Readonly<Record<Language, string>>
  /** One price per currency. */
  readonly prices: readonly Money[]
}

/** An order as the page sends it: items and quantities. The server computes the price. */
export type Order = {
  readonly orderId: string
  /** 1 for the first link of an order, incremented for each new link. */
  readonly attempt: number
  readonly currency: string
  readonly items: readonly { readonly sku: string; readonly quantity: number }[]
  readonly methodCode?: string
  /** The language of the item names on the payment page. */
  readonly language: Language
}

/** A payment link for an order, and its status token. */
type PlacedOrder = {
  readonly linkId: string
  readonly statusToken: string
  readonly checkoutUrl: string
  readonly expiresAt: string
  readonly amount: Money
}

export type FaultKind =
  | 'duplicate'
  | 'late'
  | 'forged'
  | 'reordered'
  | 'pay'
  | 'decline'
  | 'refund'
  | 'dispute'
  | 'expire'
  | 'upstream-down'
  | 'upstream-up'

/** The graph's response status for each webhook that a fault sent. */
type FaultReport = { readonly deliveries: readonly (number | null)[] }

type Fault = {
  readonly code: 'INVALID_ORDER' | 'TRY_AGAIN' | 'LINK_GONE' | 'NOT_AVAILABLE'
  readonly message: string
  readonly problems: readonly { readonly field: string; readonly message: string }[]
}

/** An error of the shop's server. */
export class ShopFault extends Error {
  readonly fault: Fault

  constructor(fault: Fault) {
    super(fault.message)
    this.fault = fault
  }
}

/** Converts any thrown value to a `ShopFault`. */
export function asShopFault(error: unknown): ShopFault {
  return error instanceof ShopFault ? error : new ShopFault(UNREACHABLE)
}

/** Reads the catalogue; null when there is no shop. */
export async function fetchCatalogue(): Promise<Catalogue | null> {
  const response = await fetch('/shop/catalogue')
  return response.status === 404 ? null : ((await answerOf(response)) as Catalogue)
}

/** Places an order. A repeated attempt returns the same link. Rejects with a `ShopFault`. */
async function placeOrder(order: Order): Promise<PlacedOrder> {
  const placed = (await post('/shop/orders', order)) as PlacedOrder
  madeHere.add(placed.linkId)
  return placed
}

const madeHere = new Set<string>()

/** Whether this page has requested the link since it was loaded. */
export function wasMadeHere(linkId: string): boolean {
  return madeHere.has(linkId)
}

/**
 * Places an order, with the next attempt if the payments API does not know the link of this attempt any more. Rejects with a
 * `ShopFault`.
 */
export async function placeLiveOrder(order: Order): Promise<{ readonly order: Order; readonly placed: PlacedOrder }> {
  try {
    return { order, placed: await placeOrder(order) }
  } catch (error) {
    if (!(error instanceof ShopFault) || error.fault.code !== 'LINK_GONE') throw error
    const next = { ...order, attempt: order.attempt + 1 }
    return { order: next, placed: await placeOrder(next) }
  }
}

/** Makes the emulator apply a fault to a link. Rejects with a `ShopFault`. */
export async function causeFault(linkId: string, kind: FaultKind, errorCode?: string): Promise<FaultReport> {
  return (await post('/shop/faults', { linkId, kind, errorCode })) as FaultReport
}

async function post(path: string, body: object): Promise<unknown> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => null)
  if (response === null) throw new ShopFault(UNREACHABLE)
  return answerOf(response)
}

async function answerOf(response: Response): Promise<unknown> {
  const answer = (await response.json().catch(() => null)) as { readonly fault?: Fault } | null
  if (response.ok && answer !== null) return answer
  throw new ShopFault(answer?.fault ?? UNREACHABLE)
}

const UNREACHABLE: Fault = { code: 'TRY_AGAIN', message: 'The shop does not answer.', problems: [] }

/** The graph, without a token: payment methods are public, and a status token authorises reading a link. */
export const ENDPOINT: PaymentsEndpoint = { url: `${location.origin}/graphql` }

import type { Language } from './language.ts'
import type { Money } from './money.ts'

/** What the shop sells, as its server tells. */
export type Catalogue = {
  readonly currencies: readonly string[]
  readonly items: readonly Item[]
  /** Whether faults can be provoked: an emulator stands in for the payment service. */
  readonly emulator: boolean
}

export type Item = {
  readonly sku: string
  readonly names: Readonly<Record<Language, string>>
  /** One for each currency. */
  readonly prices: readonly Money[]
}

/** An order as it is sent: things and quantities. What they cost is the server's to say. */
export type Order = {
  readonly orderId: string
  /** 1 for the first link of an order, one more for each new link. */
  readonly attempt: number
  readonly currency: string
  readonly items: readonly { readonly sku: string; readonly quantity: number }[]
  readonly methodCode?: string
  /** In which the payment page names the things. */
  readonly language: Language
}

/** A link to pay an order with, and the capability to follow that link. */
export type PlacedOrder = {
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

/** What the graph answered to each webhook that a fault sent. */
export type FaultReport = { readonly deliveries: readonly (number | null)[] }

type Fault = {
  readonly code: 'INVALID_ORDER' | 'TRY_AGAIN' | 'NOT_AVAILABLE'
  readonly message: string
  readonly problems: readonly { readonly field: string; readonly message: string }[]
}

/** Why the shop's server did not do something. */
export class ShopFault extends Error {
  readonly fault: Fault

  constructor(fault: Fault) {
    super(fault.message)
    this.fault = fault
  }
}

/** Whatever was thrown, as a fault of the shop. */
export function asShopFault(error: unknown): ShopFault {
  return error instanceof ShopFault ? error : new ShopFault(UNREACHABLE)
}

/** The catalogue; null where there is no shop. */
export async function fetchCatalogue(): Promise<Catalogue | null> {
  const response = await fetch('/shop/catalogue')
  return response.status === 404 ? null : ((await answerOf(response)) as Catalogue)
}

/** Places an order. The same attempt again gives the same link. Rejects with a `ShopFault`. */
export async function placeOrder(order: Order): Promise<PlacedOrder> {
  return (await post('/shop/orders', order)) as PlacedOrder
}

/** Has the emulator do something to a link. Rejects with a `ShopFault`. */
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

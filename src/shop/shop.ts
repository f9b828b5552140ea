/**
 * The demo shop's own server: it knows the prices, holds the token that may create payments, and calls the graph as any
 * merchant's server would. The page gets only a link and a status token for that link.
 */
import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import {
  connectEmulator,
  readFault,
  type Fault,
  ShopError,
  connectGraph,
  type GraphOptions,
  type PaymentsFieldProblem,
  type Ask,
} from './emulator.ts'

export type ShopOptions = GraphOptions & {
  /** Returns the URL of the page without a trailing slash, for browsers that send no Origin. */
  readonly publicUrl: () => string
  /** The origin of the emulator's control endpoints; null when the upstream is the payments API itself. */
  readonly sandboxOrigin: string | null
  readonly logger: { readonly warn: (fields: { readonly err: unknown }, message: string) => void }
}

/** An order of all items in the shop has less than one kilobyte. */
const MAX_BODY_BYTES = 8 * 1024

export type ShopReply = { readonly status: number; readonly body: object }

/** Answers a request to one of the endpoints. Never rejects. */
export type ShopHandler = (request: IncomingMessage) => Promise<ShopReply>

/** Returns the handlers of the endpoints below `/shop`, apart from the page itself. */
export function createShop(options: ShopOptions): Readonly<Record<'catalogue' | 'orders' | 'faults', ShopHandler>> {
  const ask = connectGraph(options)
  const emulator = connectEmulator(options.sandboxOrigin)
  const handler =
    (answer: (request: IncomingMessage) => Promise<object>): ShopHandler =>
    async (request) => {
      try {
        return { status: 200, body: await answer(request) }
      } catch (error) {
        const { status, fault } = error instanceof ShopError ? error : unexpected(error)
        if (status >= 500) options.logger.warn({ err: error }, 'the demo shop could not do what it was asked')
        return { status, body: { fault } }
      }
    }
  return {
    catalogue: handler(async () => ({ ...catalogue(), emulator: await emulator.isThere() })),
    orders: handler(async (request) =>
      placeOrder(ask, readOrder(await readJson(request)), `${originOf(request) ?? options.publicUrl()}/shop`),
    ),
    faults: handler(async (request) => emulator.cause(readFault(await readJson(request)))),
  }
}

/** A body that cannot be read, with the HTTP status of the answer. */
class BodyError extends Error {
  readonly status: number

  constructor(status: number) {
    super(MESSAGES[status])
    this.status = status
  }
}

/** Reads a JSON body. Requires its content type, because a page of another origin cannot send it without a CORS preflight. */
async function readJson(request: IncomingMessage): Promise<unknown> {
  if (!/^application\/json\s*(?:;|$)/i.test(request.headers['content-type'] ?? '')) throw new BodyError(415)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk as Buffer)
    size += (chunk as Buffer).length
    if (size > MAX_BODY_BYTES) throw new BodyError(413)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString())
  } catch {
    throw new BodyError(400)
  }
}

/**
 * Returns the origin of the requesting page, from the Origin header; null when it is not this host. The payer must return to
 * the same origin, because the browser's storage is per origin.
 */
function originOf({ headers: { origin = '', host } }: IncomingMessage): string | null {
  const page = URL.parse(origin)
  return page !== null && page.origin === origin && page.host === host ? origin : null
}

function unexpected(error: unknown): { readonly status: number; readonly fault: Fault } {
  const status = error instanceof BodyError ? error.status : 500
  const message = MESSAGES[status] ?? 'The shop has failed.'
  const code = status < 500 ? 'INVALID_ORDER' : 'TRY_AGAIN'
  return { status, fault: { code, message, problems: [], retryAfterSeconds: null } }
}

const MESSAGES: Readonly<Record<number, string>> = {
  400: 'The body is not JSON.',
  413: 'The body is too large.',
  415: 'The body must be sent as application/json.',
}

/** Digits after the decimal point of each currency that the shop sells in. */
const EXPONENTS = { AUD: 2, JPY: 0, USD: 2, VND: 0, KES: 2 } as const

export type Currency = keyof typeof EXPONENTS
const CURRENCIES = Object.keys(EXPONENTS) as [Currency, ...Currency[]]

/** The languages of the shop. */
const LANGUAGES = ['en', 'ja'] as const
export type Language = (typeof LANGUAGES)[number]

/** An exact amount, in the form that the graph uses. */
type Amount = { readonly value: string; readonly currency: string; readonly exponent: number }

/** One line of the basket. */
export type Line = { readonly sku: Sku; readonly quantity: number }

type Names = Readonly<Record<Language, string>>
/** Unit price in the smallest unit of each currency: sums of integers are exact, unlike sums of floats. */
type Prices = Readonly<Record<Currency, bigint>>

const ITEMS = {
  beans: {
    names: { en: 'Coffee beans, 250 g', ja: 'コーヒー豆 250 g' },
    prices: { AUD: 18_50n, JPY: 1_800n, USD: 12_90n, VND: 295_000n, KES: 1_650_00n },
  },
  cup: {
    names: { en: 'Stoneware cup', ja: '陶器のカップ' },
    prices: { AUD: 24_00n, JPY: 2_400n, USD: 16_50n, VND: 380_000n, KES: 2_100_00n },
  },
  sticker: {
    names: { en: 'Sticker', ja: 'ステッカー' },
    prices: { AUD: 2_95n, JPY: 300n, USD: 1_95n, VND: 45_000n, KES: 250_00n },
  },
  machine: {
    names: { en: 'Espresso machine', ja: 'エスプレッソマシン' },
    prices: { AUD: 1_899_00n, JPY: 189_000n, USD: 1_249_00n, VND: 29_900_000n, KES: 159_000_00n },
  },
} satisfies Readonly<Record<string, { names: Names; prices: Prices }>>

export type Sku = keyof typeof ITEMS
const SKUS = Object.keys(ITEMS) as [Sku, ...Sku[]]

/** Returns all items for sale, with their prices in every currency. */
function catalogue() {
  return {
    currencies: CURRENCIES,
    items: SKUS.map((sku) => ({
      sku,
      names: ITEMS[sku].names,
      prices: CURRENCIES.map((currency) => amountOf(ITEMS[sku].prices[currency], currency)),
    })),
  }
}

/** Returns the total of a basket. */
function totalOf(lines: readonly Line[], currency: Currency): Amount {
  const units = lines.reduce((sum, { sku, quantity }) => sum + ITEMS[sku].prices[currency] * BigInt(quantity), 0n)
  return amountOf(units, currency)
}

/** Returns the description of an order that the payer reads on the hosted page. */
function describe(lines: readonly Line[], language: Language): string {
  return lines.map(({ sku, quantity }) => `${quantity} × ${ITEMS[sku].names[language]}`).join(', ')
}

function amountOf(units: bigint, currency: Currency): Amount {
  const exponent = EXPONENTS[currency]
  const digits = units.toString().padStart(exponent + 1, '0')
  const value = exponent === 0 ? digits : `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`
  return { value, currency, exponent }
}

const LINE = z.strictObject({ sku: z.enum(SKUS), quantity: z.int().min(1).max(99) })

/** An order as the page sends it: items and quantities, and no price. */
const ORDER = z.strictObject({
  /** Generated by the page. Anyone who knows it can get the order's link, so it must not be guessable. */
  orderId: z.uuid(),
  /** 1 for the first link of an order, incremented for each new link. */
  attempt: z.int().min(1).max(99),
  currency: z.enum(CURRENCIES),
  items: z
    .array(LINE)
    .min(1)
    .max(SKUS.length)
    .refine((lines) => new Set(lines.map(({ sku }) => sku)).size === lines.length, 'names a thing twice'),
  methodCode: z
    .string()
    .regex(/^[a-z0-9_]{1,100}$/)
    .exactOptional(),
  language: z.enum(LANGUAGES),
})

export type Order = z.output<typeof ORDER>

/** The data that the page needs to send the payer to the hosted page and to follow the payment. */
export type PlacedOrder = {
  readonly linkId: string
  /** Authorises reading and following this link only. */
  readonly statusToken: string
  readonly checkoutUrl: string
  readonly expiresAt: string
  readonly amount: Amount
}

/** Parses the order in a body. Throws a `ShopError` that names every invalid field. */
function readOrder(body: unknown): Order {
  const parsed = ORDER.safeParse(body)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.flatMap(problemsOf)
  throw new ShopError('INVALID_ORDER', 'The order cannot be taken.', { problems })
}

/** Requests a payment link for the total of the order. `pageUrl` is where the payer returns to. */
async function placeOrder(ask: Ask, order: Order, pageUrl: string): Promise<PlacedOrder> {
  const amount = totalOf(order.items, order.currency)
  const input = {
    // A repeated attempt, after a lost response or a double click, gets the same link.
    idempotencyKey: `shop:${order.orderId}:${order.attempt}`,
    reference: order.orderId,
    amount: { value: amount.value, currency: amount.currency },
    description: describe(order.items, order.language),
    customer: { email: 'guest@shop.test', firstName: 'Guest', lastName: 'Shopper' },
    methodCode: order.methodCode ?? null,
    successUrl: `${pageUrl}?order=${order.orderId}`,
    failureUrl: `${pageUrl}?order=${order.orderId}`,
  }
  const { createPaymentLink } = await ask(CREATE_LINK, { input }, CREATED)
  if (!('link' in createPaymentLink)) throw refusal(createPaymentLink)
  const { id, state, statusToken, checkoutUrl, expiresAt, requestedAmount } = createPaymentLink.link
  if (createPaymentLink.replayed && state === 'OPEN') await checkLink(ask, id)
  return { linkId: id, statusToken, checkoutUrl, expiresAt, amount: requestedAmount }
}

/**
 * Throws a `ShopError` if the payments API does not know an earlier link any more: a sandbox may have been reset. When it does not
 * answer, the link may still be there.
 */
async function checkLink(ask: Ask, id: string): Promise<void> {
  const { refreshPayment } = await ask(REFRESH, { id }, REFRESHED)
  if (GONE.has(refreshPayment.code ?? '')) throw new ShopError('LINK_GONE', 'The payments API does not know this link.')
}

const GONE: ReadonlySet<string> = new Set(['NOT_FOUND', 'UPSTREAM_NOT_FOUND'])

const REFRESH = `mutation ShopLink($id: ID!) { refreshPayment(id: $id) { ... on PaymentsError { code } } }`

const REFRESHED = z.object({ refreshPayment: z.object({ code: z.string().optional() }) })

const CREATE_LINK = `mutation ShopOrder($input: CreatePaymentLinkInput!) {
  createPaymentLink(input: $input) {
    ... on CreatePaymentLinkSuccess {
      replayed
      link { id state statusToken checkoutUrl expiresAt requestedAmount { value currency exponent } }
    }
    ... on PaymentsError { code message retryable }
    ... on PaymentsInvalidInputError { problems { path message } }
    ... on PaymentsUpstreamUnavailableError { retryAfterSeconds }
  }
}`

const AMOUNT = z.object({ value: z.string(), currency: z.string(), exponent: z.number() })

const SUCCESS = z.object({
  replayed: z.boolean(),
  link: z.object({
    id: z.string(),
    state: z.string(),
    statusToken: z.string(),
    checkoutUrl: z.url(),
    expiresAt: z.string(),
    requestedAmount: AMOUNT,
  }),
})

/** Any other member of the union: all of them are `PaymentsError`, and new ones may be added. */
const REFUSAL = z.object({
  code: z.string(),
  message: z.string(),
  retryable: z.boolean(),
  problems: z.array(z.object({ path: z.array(z.string()), message: z.string() })).default([]),
  retryAfterSeconds: z.number().nullable().default(null),
})

const CREATED = z.object({ createPaymentLink: z.union([SUCCESS, REFUSAL]) })

/** The order field that a refusal of the graph is about, for codes that always concern the same field. */
const FIELDS: Readonly<Record<string, string>> = {
  AMOUNT_OUT_OF_RANGE: 'items',
  METHOD_UNAVAILABLE: 'methodCode',
  IDEMPOTENCY_CONFLICT: 'attempt',
}

function refusal({ code, message, retryable, problems, retryAfterSeconds }: z.output<typeof REFUSAL>): ShopError {
  if (retryable) return new ShopError('TRY_AGAIN', message, { retryAfterSeconds })
  const field = FIELDS[code]
  if (field !== undefined) return new ShopError('INVALID_ORDER', message, { problems: [{ field, message }] })
  const named = problems.map(({ path, message: text }) => ({ field: path.join('.'), message: text }))
  return new ShopError(named.length > 0 ? 'INVALID_ORDER' : 'NOT_AVAILABLE', message, { problems: named })
}

function problemsOf(issue: z.core.$ZodIssue): PaymentsFieldProblem[] {
  const names = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path]
  return names.map((path) => ({ field: path.join('.') || 'order', message: issue.message }))
}

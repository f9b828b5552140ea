import { z } from 'zod'
import { type Amount, CURRENCIES, describe, LANGUAGES, SKUS, totalOf } from './catalogue.ts'
import { type FieldProblem, ShopError } from './fault.ts'
import type { Ask } from './graph.ts'

const LINE = z.strictObject({ sku: z.enum(SKUS), quantity: z.int().min(1).max(99) })

/** An order as the page sends it: things and quantities, and no price. */
const ORDER = z.strictObject({
  /** Made by the page. Whoever knows it is given the order's link, so it has to be one that nobody guesses. */
  orderId: z.uuid(),
  /** 1 for the first link of an order, one more for each new link. */
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

/** What the page needs in order to send the payer on and to follow the payment. */
export type PlacedOrder = {
  readonly linkId: string
  /** Reads and follows this link, and nothing else. */
  readonly statusToken: string
  readonly checkoutUrl: string
  readonly expiresAt: string
  readonly amount: Amount
}

/** The order in a body. Throws a `ShopError` that names every field that is wrong. */
export function readOrder(body: unknown): Order {
  const parsed = ORDER.safeParse(body)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.flatMap(problemsOf)
  throw new ShopError('INVALID_ORDER', 'The order cannot be taken.', { problems })
}

/** Asks the graph for a payment link over what the order costs. `pageUrl` is where the payer comes back to. */
export async function placeOrder(ask: Ask, order: Order, pageUrl: string): Promise<PlacedOrder> {
  const amount = totalOf(order.items, order.currency)
  const input = {
    // The same attempt again, after a lost answer or a double click, gives the same link.
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
  const { id, statusToken, checkoutUrl, expiresAt, requestedAmount } = createPaymentLink.link
  return { linkId: id, statusToken, checkoutUrl, expiresAt, amount: requestedAmount }
}

const CREATE_LINK = `mutation ShopOrder($input: CreatePaymentLinkInput!) {
  createPaymentLink(input: $input) {
    ... on CreatePaymentLinkSuccess {
      link { id statusToken checkoutUrl expiresAt requestedAmount { value currency exponent } }
    }
    ... on PaymentsError { code message retryable }
    ... on InvalidInputError { problems { path message } }
    ... on UpstreamUnavailableError { retryAfterSeconds }
  }
}`

const AMOUNT = z.object({ value: z.string(), currency: z.string(), exponent: z.number() })

const SUCCESS = z.object({
  link: z.object({
    id: z.string(),
    statusToken: z.string(),
    checkoutUrl: z.url(),
    expiresAt: z.string(),
    requestedAmount: AMOUNT,
  }),
})

/** Any other member of the union: all of them are `PaymentsError`, and new ones may come. */
const REFUSAL = z.object({
  code: z.string(),
  message: z.string(),
  retryable: z.boolean(),
  problems: z.array(z.object({ path: z.array(z.string()), message: z.string() })).default([]),
  retryAfterSeconds: z.number().nullable().default(null),
})

const CREATED = z.object({ createPaymentLink: z.union([SUCCESS, REFUSAL]) })

/** Which field of the order a refusal of the graph is about, where it is always the same one. */
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

function problemsOf(issue: z.core.$ZodIssue): FieldProblem[] {
  const names = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path]
  return names.map((path) => ({ field: path.join('.') || 'order', message: issue.message }))
}

import { z } from 'zod'
import type { SettleCommand, UnansweredCommand } from './command-line.ts'
import { SETTLE_CREATION, SETTLE_PAYMENT, UNANSWERED } from './documents.ts'
import type { Ask } from './graph-client.ts'
import { OperatorError, facts, plain, table } from './operator-answers.ts'

const amount = z.object({ value: z.string(), currency: z.string() }).nullable()

const unansweredAnswer = z.object({
  unansweredGatewayPayments: z.array(
    z.object({
      operationId: z.string(),
      orderId: z.string().nullable(),
      amount,
      site: z.string(),
      requestedAt: z.string().nullable(),
      payment: z.object({ id: z.string(), statusRaw: z.string(), version: z.number() }).nullable(),
    }),
  ),
})

const payment = z.object({
  id: z.string(),
  orderId: z.string().nullable(),
  statusRaw: z.string(),
  version: z.number(),
  provisional: z.boolean(),
  amount,
})

const problems = z.array(z.object({ path: z.array(z.string()), message: z.string() })).optional()

const settledAnswer = z.object({
  settled: z.union([
    z.object({ payment: payment.nullable() }),
    z.object({ code: z.string(), message: z.string(), statusRaw: z.string().optional(), problems }),
  ]),
})

/** Returns the creations without an answer as text. */
export async function listUnanswered(ask: Ask, { limit, json }: UnansweredCommand): Promise<string> {
  const { unansweredGatewayPayments: found } = (
    await ask(UNANSWERED, { variables: { first: limit }, shape: unansweredAnswer })
  ).data
  if (json) return JSON.stringify(found, null, 2)
  if (found.length === 0) return 'Every gateway payment that was requested has an answer.'
  return table(
    ['OPERATION', 'ORDER', 'AMOUNT', 'SITE', 'SENT', 'REPORTED'],
    found.map(({ operationId, orderId, amount: asked, site, requestedAt, payment: reported }) => [
      operationId,
      orderId,
      amountText(asked),
      site,
      requestedAt,
      reported === null ? null : `${reported.id} ${reported.statusRaw}, version ${reported.version}`,
    ]),
  )
}

/** Records what an operator found. Returns the payment as text. Throws `OperatorError` when the graph refuses it. */
export async function settle(ask: Ask, { id, found, json }: SettleCommand): Promise<string> {
  const { document, input } = requestOf(id, found)
  const { settled } = (await ask(document, { variables: { input }, shape: settledAnswer })).data
  if (!('payment' in settled)) {
    const details = (settled.problems ?? []).map(({ path, message }) => ` ${path.join('.')} ${message}.`).join('')
    const status = settled.statusRaw === undefined ? '' : ` It is ${settled.statusRaw}.`
    throw new OperatorError(plain(`${settled.code}: ${settled.message}${details}${status}`))
  }
  if (json) return JSON.stringify(settled.payment, null, 2)
  if (settled.payment === null) return 'Recorded: it was not created. Its idempotency key may send it again.'
  const { payment: now } = settled
  return facts([
    ['payment', now.id],
    ['order', now.orderId],
    ['amount', amountText(now.amount)],
    ['status', now.provisional ? `${now.statusRaw}, provisional` : now.statusRaw],
    ['version', String(now.version)],
  ])
}

function requestOf(id: string, found: SettleCommand['found']) {
  if ('status' in found) {
    const input = { paymentId: id, version: found.version, status: found.status.toUpperCase() }
    return { document: SETTLE_PAYMENT, input }
  }
  const outcome = found.paymentId === null ? { outcome: 'NOT_CREATED' } : { outcome: 'CREATED', ...found }
  const input = { operationId: id, ...outcome }
  return { document: SETTLE_CREATION, input }
}

function amountText(asked: z.infer<typeof amount>): string | null {
  return asked === null ? null : `${asked.value} ${asked.currency}`
}

import { z } from 'zod'
import type {
  DeliveriesCommand,
  DeliveryCommand,
  ReplayCommand,
  ErasePayerCommand,
  ErasuresCommand,
  KeysCommand,
  SettleCommand,
  UnansweredCommand,
} from './command-line.ts'
import {
  BODY_SCOPE,
  DELIVERIES,
  DELIVERY,
  REPLAY,
  ERASE,
  ERASURES,
  KEYS,
  SETTLE_CREATION,
  SETTLE_PAYMENT,
  UNANSWERED,
} from './documents.ts'
import {
  type Answer,
  type Ask,
  type Delivery,
  deliveriesAnswer,
  deliveryAnswer,
  type FullDelivery,
  replayAnswer,
  type Replayed,
  OperatorError,
  facts,
  NOTHING,
  plain,
  table,
  eraseAnswer,
  type Erasure,
  erasuresAnswer,
  keysAnswer,
  type SigningKey,
} from './operator-answers.ts'

/** Maximum page size of the graph. */
const PAGE = 100

type Place = { readonly after: string | null; readonly more: boolean }

/** Returns a list of deliveries as text. */
export async function listDeliveries(ask: Ask, command: DeliveriesCommand): Promise<string> {
  const found: Delivery[] = []
  let next: Place = { after: null, more: true }
  while (next.more && found.length < command.limit) {
    const first = Math.min(PAGE, command.limit - found.length)
    const variables = { first, after: next.after, filter: filterOf(command) }
    const { nodes, pageInfo } = (await ask(DELIVERIES, { variables, shape: deliveriesAnswer })).data.webhookDeliveries
    found.push(...nodes)
    next = { after: pageInfo.endCursor, more: pageInfo.hasNextPage }
  }
  if (command.json) return JSON.stringify(found, null, 2)
  if (found.length === 0) return 'No deliveries.'
  return next.more ? `${deliveryTable(found)}\nThere are older ones: raise --limit.` : deliveryTable(found)
}

/** Returns one delivery as text. Throws `OperatorError` when it does not exist. */
export async function showDelivery(ask: Ask, { id, json }: DeliveryCommand): Promise<string> {
  const { data, errors } = await ask(DELIVERY, { variables: { id }, shape: deliveryAnswer })
  const delivery = data.webhookDelivery
  if (delivery === null) throw new OperatorError('There is no delivery with this id.')
  if (json) return JSON.stringify(delivery, null, 2)
  return `${facts([...factsOf(delivery), ...stateOf(delivery)])}\n\n${bodyOf(delivery, errors)}`
}

/** Returns as text what a replay did, or would do. Throws `OperatorError` when the graph refuses it. */
export async function replayDelivery(ask: Ask, { id, apply, json }: ReplayCommand): Promise<string> {
  const variables = { input: { deliveryId: id, apply } }
  const { replayWebhookDelivery: result } = (await ask(REPLAY, { variables, shape: replayAnswer })).data
  if (!('applied' in result)) throw new OperatorError(`${result.code}: ${plain(result.message)}`)
  return json ? JSON.stringify(result, null, 2) : replayText(result)
}

function filterOf({ dispositions, subject }: DeliveriesCommand): Record<string, unknown> {
  return {
    ...(dispositions === null ? {} : { dispositions }),
    ...(subject === null ? {} : { subjectIds: [subject] }),
  }
}

function deliveryTable(deliveries: readonly Delivery[]): string {
  return table(
    ['ID', 'LAST RECEIVED', 'DISPOSITION', 'WHY', 'SUBJECT', 'SAYS', 'NOW', 'ATTEMPTS'],
    deliveries.map((delivery) => [
      delivery.id,
      delivery.lastReceivedAt,
      delivery.disposition,
      delivery.quarantineReason,
      delivery.subjectId,
      delivery.statusRaw,
      nowOf(delivery),
      String(delivery.attempts),
    ]),
  )
}

/** Returns the current status of the delivery's subject, marked when it is provisional. */
function nowOf({ payment, agreement }: Delivery): string | null {
  if (payment === null) return agreement?.statusRaw ?? null
  return payment.provisional ? `${payment.statusRaw}, provisional` : payment.statusRaw
}

type Fact = readonly [name: string, value: string | null]

function factsOf(delivery: FullDelivery): Fact[] {
  const { disposition, quarantineReason, event, link } = delivery
  return [
    ['delivery', delivery.id],
    ['disposition', quarantineReason === null ? disposition : `${disposition}, ${quarantineReason}`],
    ['received', `${delivery.firstReceivedAt}, last ${delivery.lastReceivedAt}, attempts ${delivery.attempts}`],
    ['address', delivery.ref ?? 'the default address'],
    ['link', link === null ? null : `${link.id}, ${link.state}`],
    ['says', `${delivery.subjectId ?? NOTHING} is ${delivery.statusRaw ?? NOTHING}`],
    ['event', event === null ? null : event.id],
  ]
}

function stateOf(delivery: FullDelivery): Fact[] {
  const { payment, agreement } = delivery
  const state = payment ?? agreement
  if (state === null) return [['state', 'nothing is known, or nothing that the token may see']]
  const text = `${state.id} is ${nowOf(delivery) ?? NOTHING}, version ${state.version} of ${state.updatedAt}`
  return [[payment === null ? 'agreement' : 'payment', text]]
}

function bodyOf({ body }: FullDelivery, errors: Answer<unknown>['errors']): string {
  if (errors.some(({ path, extensions }) => path?.at(-1) === 'body' && extensions?.code === 'FORBIDDEN'))
    return `body: not shown, the token has not the scope ${BODY_SCOPE}`
  if (body === null) return 'body: nothing is kept of it'
  return `body, without secrets and payer data:\n${plain(body)}`
}

function replayText(result: Replayed): string {
  const { applied, delivery, dispositionBefore, dispositionAfter, readRequested, statusBefore, statusAfter } = result
  const read = applied ? 'asked for' : 'would be asked for'
  const lines = facts([
    ['delivery', delivery.id],
    ['disposition', `${dispositionBefore} -> ${dispositionAfter}`],
    ['status', `${statusBefore ?? NOTHING} -> ${statusAfter ?? NOTHING}`],
    ['read', readRequested ? read : 'none'],
    ...(applied ? ([['event', delivery.event?.id ?? null]] as const) : []),
  ])
  return applied ? `Applied.\n${lines}` : `Dry run: nothing has been changed.\n${lines}\nWith --apply it is done.`
}

/** Erases payers. Returns the erasure as text, which does not repeat the value. Throws `OperatorError` when the graph refuses it. */
export async function erasePayer(ask: Ask, { by, value, json }: ErasePayerCommand): Promise<string> {
  const variables = { input: { by, value } }
  const { erasePayer: result } = (await ask(ERASE, { variables, shape: eraseAnswer })).data
  if (!('erasure' in result)) throw new OperatorError(`${result.code}: ${plain(result.message)}`)
  const { erasure } = result
  return json ? JSON.stringify(erasure, null, 2) : erasureText(erasure)
}

/** Returns a list of erasures as text. */
export async function listErasures(ask: Ask, { limit, json }: ErasuresCommand): Promise<string> {
  const found: Erasure[] = []
  let next: { readonly after: string | null; readonly more: boolean } = { after: null, more: true }
  while (next.more && found.length < limit) {
    const variables = { first: Math.min(PAGE, limit - found.length), after: next.after }
    const { nodes, pageInfo } = (await ask(ERASURES, { variables, shape: erasuresAnswer })).data.payerErasures
    found.push(...nodes)
    next = { after: pageInfo.endCursor, more: pageInfo.hasNextPage }
  }
  if (json) return JSON.stringify(found, null, 2)
  if (found.length === 0) return 'No erasures.'
  return next.more ? `${erasureTable(found)}\nThere are older ones: raise --limit.` : erasureTable(found)
}

function erasureText({ id, by, state, payments, agreements, payouts, payers }: Erasure): string {
  const lines = facts([
    ['erasure', `${id}, by ${by}`],
    ['payments', String(payments)],
    ['agreements', String(agreements)],
    ['payouts', String(payouts)],
    ['payers on record', String(payers)],
  ])
  return state === 'DONE' ? `Done.\n${lines}` : `Running: the rest is erased in the background; see erasures.\n${lines}`
}

function erasureTable(erasures: readonly Erasure[]): string {
  return table(
    [
      'ID',
      'REQUESTED',
      'BY',
      'STATE',
      'PAYMENTS',
      'AGREEMENTS',
      'PAYOUTS',
      'PAYERS',
      'REQUESTED BY',
      'DONE',
      'VALUE HASH',
    ],
    erasures.map((erasure) => [
      erasure.id,
      erasure.requestedAt,
      erasure.by,
      erasure.state,
      String(erasure.payments),
      String(erasure.agreements),
      String(erasure.payouts),
      String(erasure.payers),
      erasure.requestedBy,
      erasure.doneAt,
      erasure.valueHash,
    ]),
  )
}

/** Returns the signing keys as text, with what depends on each. */
export async function listKeys(ask: Ask, { json }: KeysCommand): Promise<string> {
  const { signingKeys: keys } = (await ask(KEYS, { variables: {}, shape: keysAnswer })).data
  if (json) return JSON.stringify(keys, null, 2)
  return [keyTable(keys), ...keys.map(dependentTable)].join('\n\n')
}

function keyTable(keys: readonly SigningKey[]): string {
  return table(
    ['KEY', 'SETTING', 'STATE', 'SIGNED SINCE', 'LAST SIGNED', 'LAST CALLBACK', 'REMOVABLE'],
    keys.map((key) => [
      key.keyId,
      key.setting,
      key.state,
      key.firstSignedAt,
      key.lastSignedAt,
      key.lastCallbackAt,
      key.removable ? 'yes' : 'no',
    ]),
  )
}

function dependentTable({ keyId, setting, dependents }: SigningKey): string {
  return table(
    [`${keyId} OF ${setting}`, 'NEEDED', 'UNTIL', 'COUNT'],
    dependents.map(({ kind, needed, until, count }) => [
      kind,
      needed ? 'yes' : 'no',
      until ?? 'no end',
      count === null ? null : String(count),
    ]),
  )
}

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

const gatewayPayment = z.object({
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
    z.object({ payment: gatewayPayment.nullable() }),
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

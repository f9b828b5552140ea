import type { DeliveriesCommand, DeliveryCommand, ReplayCommand } from './command-line.ts'
import { BODY_SCOPE, DELIVERIES, DELIVERY, REPLAY } from './documents.ts'
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
  firstOf,
  NOTHING,
  plain,
  table,
} from './operator-answers.ts'

/** Returns a list of deliveries as text. */
export async function listDeliveries(ask: Ask, command: DeliveriesCommand): Promise<string> {
  const { nodes: found, more } = await firstOf(command.limit, async (page) => {
    const variables = { ...page, filter: filterOf(command) }
    return (await ask(DELIVERIES, { variables, shape: deliveriesAnswer })).data.webhookDeliveries
  })
  if (command.json) return JSON.stringify(found, null, 2)
  if (found.length === 0) return 'No deliveries.'
  return more ? `${deliveryTable(found)}\nThere may be older ones: raise --limit.` : deliveryTable(found)
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
    ['address', delivery.ref ?? 'the default webhook URL'],
    ['link', link === null ? null : `${link.id}, ${link.state}`],
    ['says', `${delivery.subjectId ?? NOTHING} is ${delivery.statusRaw ?? NOTHING}`],
    ['event', event === null ? null : event.id],
  ]
}

function stateOf(delivery: FullDelivery): Fact[] {
  const { payment, agreement } = delivery
  const state = payment ?? agreement
  if (state === null) return [['state', 'unknown, or not visible to the token']]
  const text = `${state.id} is ${nowOf(delivery) ?? NOTHING}, version ${state.version} of ${state.updatedAt}`
  return [[payment === null ? 'agreement' : 'payment', text]]
}

function bodyOf({ body }: FullDelivery, errors: Answer<unknown>['errors']): string {
  if (errors.some(({ path, extensions }) => path?.at(-1) === 'body' && extensions?.code === 'FORBIDDEN'))
    return `body: not shown, the token has not the scope ${BODY_SCOPE}`
  if (body === null) return 'body: not stored'
  return `body, without secrets and payer data:\n${plain(body)}`
}

function replayText(result: Replayed): string {
  const { applied, delivery, dispositionBefore, dispositionAfter, readRequested, statusBefore, statusAfter } = result
  const read = applied ? 'requested' : 'would be requested'
  const lines = facts([
    ['delivery', delivery.id],
    ['disposition', `${dispositionBefore} -> ${dispositionAfter}`],
    ['status', `${statusBefore ?? NOTHING} -> ${statusAfter ?? NOTHING}`],
    ['read', readRequested ? read : 'none'],
    ...(applied ? ([['event', delivery.event?.id ?? null]] as const) : []),
  ])
  return applied ? `Applied.\n${lines}` : `Dry run: nothing has been changed.\n${lines}\nWith --apply it is done.`
}

import { BODY_SCOPE, BULK_REPLAY, BULK_REPLAY_STATE, CANCEL_REPLAY, DELIVERIES, DELIVERY, REPLAY } from './documents.ts'
import { awaitEnd, progressBar, type Terminal } from './imports/import-commands.ts'
import {
  type Answer,
  type Ask,
  type BulkReplay,
  bulkReplayAnswer,
  bulkReplayBegunAnswer,
  type Delivery,
  deliveriesAnswer,
  deliveryAnswer,
  type FullDelivery,
  replayAnswer,
  replayCancelledAnswer,
  type Replayed,
  OperatorError,
  facts,
  NOTHING,
  PAGE,
  pagesOf,
  plain,
  table,
  UsageError,
} from './operator-answers.ts'
import type { Report } from './report.ts'

/** What the address of a webhook was made for. */
export const DELIVERY_KINDS = ['payment', 'agreement', 'payout', 'gateway-payment', 'identity-check'] as const

/** Which deliveries. */
export type DeliveryFilter = {
  readonly quarantined: boolean
  readonly doubtful: boolean
  readonly all: boolean
  readonly subject?: string
  /** What the addresses were made for; empty for everything. */
  readonly kind: readonly (typeof DELIVERY_KINDS)[number][]
  /** Bounds of the first receipt. */
  readonly from?: Date
  readonly before?: Date
}

/** Returns a list of deliveries. */
export async function listDeliveries(
  ask: Ask,
  { limit, ...filter }: DeliveryFilter & { limit: number },
): Promise<Report> {
  const found: Delivery[] = []
  for await (const delivery of matching(ask, filter)) if (found.push(delivery) > limit) break
  const shown = found.slice(0, limit)
  const more = found.length > limit ? '\nThere may be older ones: raise --limit.' : ''
  return { data: shown, text: shown.length === 0 ? 'No deliveries.' : `${deliveryTable(shown)}${more}` }
}

/** Returns one delivery. Throws `OperatorError` when it does not exist. */
export async function showDelivery(ask: Ask, id: string): Promise<Report> {
  const { data, errors } = await ask(DELIVERY, { variables: { id }, shape: deliveryAnswer })
  const delivery = data.webhookDelivery
  if (delivery === null) throw new OperatorError('There is no delivery with this id.')
  const text = `${facts([...factsOf(delivery), ...stateOf(delivery)])}\n\n${bodyOf(delivery, errors)}`
  return { data: delivery, text }
}

type ReplayOptions = DeliveryFilter & { readonly ids: readonly string[]; readonly yes: boolean }

/**
 * Replays deliveries after their count was shown: those of ids one after another, those of a filter by the subgraph's own job. Without `yes`
 * it only shows what would change. Returns that. When the graph refuses some of them, the others are replayed. Throws `OperatorError` when it
 * refuses the only one.
 */
export async function replayDeliveries(
  ask: Ask,
  { ids, yes, ...filter }: ReplayOptions,
  terminal: Terminal,
): Promise<Report> {
  const { quarantined, doubtful, all, subject, kind, from, before } = filter
  const isFiltered =
    quarantined || doubtful || all || kind.length > 0 || [subject, from, before].some((value) => value !== undefined)
  if (ids.length > 0 === isFiltered) throw new UsageError('Name deliveries either by id or by a filter.')
  const chosen = [...ids]
  if (isFiltered) for await (const { id } of matching(ask, filter)) chosen.push(id)
  if (chosen.length !== 1)
    terminal.write(`${chosen.length} deliveries ${yes ? 'are replayed' : 'would be replayed'}.\n`)
  if (isFiltered && yes) return replayMatching(ask, filter, terminal)
  const bar = progressBar(terminal)
  const results: Replayed[] = []
  const refused: string[] = []
  for (const [index, deliveryId] of chosen.entries()) {
    const variables = { input: { deliveryId, apply: yes } }
    const { replayWebhookDelivery: result } = (await ask(REPLAY, { variables, shape: replayAnswer })).data
    if ('applied' in result) results.push(result)
    else if (chosen.length === 1) throw new OperatorError(`${result.code}: ${plain(result.message)}`)
    else refused.push(`${deliveryId}: ${result.code}: ${plain(result.message)}`)
    bar.show(Math.round((100 * (index + 1)) / chosen.length))
  }
  bar.end()
  const problem = refused.length > 0 ? refused.join('\n') : undefined
  return { data: results, text: replayText(results, yes), problem }
}

/** Begins the replay of those that match, or finds it running, and waits for its end. Returns what became of them. */
async function replayMatching(ask: Ask, filter: DeliveryFilter, terminal: Terminal): Promise<Report> {
  const variables = { input: { filter: filterOf(filter), apply: true } }
  const shape = bulkReplayBegunAnswer
  const { replayWebhookDeliveries: begun } = (await ask(BULK_REPLAY, { variables, shape })).data
  if ('code' in begun) throw new OperatorError(`${begun.code}: ${plain(begun.message)}`)
  const { id } = begun.replay
  // Before it is needed, since whatever ends this process leaves no time to say it.
  terminal.write(`Replay ${plain(id)} runs, also after Ctrl-C. "deliveries cancel ${plain(id)}" cancels it.\n`)
  const done = await awaitEnd(
    async () => (await ask(BULK_REPLAY_STATE, { variables: { id }, shape: bulkReplayAnswer })).data.webhookReplay,
    terminal,
  )
  const left = done.notReplayable + done.failed
  const problems = [
    ...(done.cancelled ? ['The replay was cancelled.'] : []),
    ...(left > 0 ? [`${left} of ${done.matched} deliveries could not be replayed.`] : []),
  ]
  return { data: done, text: bulkReplayText(done), problem: problems.length > 0 ? problems.join('\n') : undefined }
}

/** Cancels the replay of those that matched a filter. Throws `OperatorError` when it does not exist. */
export async function cancelReplay(ask: Ask, { id }: { id: string }): Promise<Report> {
  const variables = { input: { replayId: id } }
  const { cancelWebhookReplay: result } = (await ask(CANCEL_REPLAY, { variables, shape: replayCancelledAnswer })).data
  if ('code' in result) throw new OperatorError(`${result.code}: ${plain(result.message)}`)
  const { replay } = result
  return { data: replay, text: replay.cancelled ? 'Cancelled. What is replayed stays.' : 'It had ended before.' }
}

/** Returns the deliveries that match, newest first. */
async function* matching(ask: Ask, given: DeliveryFilter): AsyncGenerator<Delivery, void, void> {
  const filter = filterOf(given)
  const read = async (after: string | null) =>
    (await ask(DELIVERIES, { variables: { first: PAGE, after, filter }, shape: deliveriesAnswer })).data
      .webhookDeliveries
  for await (const { nodes } of pagesOf(read)) yield* nodes
}

function filterOf({
  quarantined,
  doubtful,
  all,
  subject,
  kind,
  from: receivedFrom,
  before: receivedBefore,
}: DeliveryFilter): Record<string, unknown> {
  if (all && (quarantined || doubtful)) throw new UsageError('--all excludes --quarantined and --doubtful.')
  const both = quarantined === doubtful
  const dispositions = [...(both || quarantined ? ['QUARANTINED'] : []), ...(both || doubtful ? ['DOUBTFUL'] : [])]
  return {
    ...(all ? {} : { dispositions }),
    ...(subject !== undefined && { subjectIds: [subject] }),
    ...(kind.length > 0 && { kinds: kind.map((one) => one.toUpperCase().replace('-', '_')) }),
    receivedFrom,
    receivedBefore,
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

function replayText(results: readonly Replayed[], applied: boolean): string {
  if (results.length === 0) return 'No delivery was replayed.'
  const [first, ...others] = results
  const text =
    first !== undefined && others.length === 0
      ? factsOfReplay(first)
      : table(
          ['DELIVERY', 'DISPOSITION', 'STATUS', 'READ'],
          results.map((result) => [result.delivery.id, ...changeOf(result), result.readRequested ? 'yes' : 'no']),
        )
  return applied ? `Applied.\n${text}` : `Dry run: nothing has been changed.\n${text}\nWith --yes it is done.`
}

function factsOfReplay(result: Replayed): string {
  const { applied, delivery, readRequested } = result
  const [disposition, status] = changeOf(result)
  return facts([
    ['delivery', delivery.id],
    ['disposition', disposition],
    ['status', status],
    ['read', readRequested ? (applied ? 'requested' : 'would be requested') : 'none'],
    ...(applied ? ([['event', delivery.event?.id ?? null]] as const) : []),
  ])
}

function bulkReplayText(replay: BulkReplay): string {
  const counts = facts([
    ['replay', replay.id],
    ['matched', String(replay.matched)],
    ['changed', String(replay.changed)],
    ['unchanged', String(replay.unchanged)],
    ['awaiting a read', String(replay.awaitingRead)],
    ['not replayable', String(replay.notReplayable)],
    ['failed', String(replay.failed)],
  ])
  if (replay.results.length === 0) return counts
  const rows = replay.results.map((result) => [
    result.deliveryId,
    ...changeOf(result),
    result.refusal ?? (result.dispositionAfter === null ? 'FAILED' : null),
  ])
  return `${counts}\n\n${table(['DELIVERY', 'DISPOSITION', 'STATUS', 'WHY NOT'], rows)}`
}

type Change = Pick<BulkReplay['results'][number], `${'disposition' | 'status'}${'Before' | 'After'}`>

function changeOf(change: Change): [disposition: string, status: string] {
  const { dispositionBefore, dispositionAfter, statusBefore, statusAfter } = change
  return [
    `${dispositionBefore ?? NOTHING} -> ${dispositionAfter ?? NOTHING}`,
    `${statusBefore ?? NOTHING} -> ${statusAfter ?? NOTHING}`,
  ]
}

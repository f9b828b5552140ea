import { afterAll, beforeAll, expect, it } from 'vitest'
import { doubtfulDelivery, everything, misaddressedDelivery, settle, unreadDelivery } from '../support/deliveries.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { historyOf } from '../support/payments.ts'
import { addressOf, paymentBody } from '../support/webhooks.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork()))
afterAll(() => network.close())

const FIELDS = `id dryRun state cancelled progress requestedBy matched changed unchanged awaitingRead notReplayable failed
  results { deliveryId dispositionBefore dispositionAfter statusBefore statusAfter refusal delivery { id disposition } }`
const BEGIN = `mutation B($input: ReplayWebhookDeliveriesInput!) { replayWebhookDeliveries(input: $input) {
  __typename ... on ReplayWebhookDeliveriesSuccess { replayed replay { ${FIELDS} } } } }`
const CANCEL = `mutation C($input: CancelWebhookReplayInput!) { cancelWebhookReplay(input: $input) {
  __typename ... on CancelWebhookReplaySuccess { replay { id state cancelled } } } }`

type Replay = { readonly id: string; readonly state: string; readonly [field: string]: unknown }
type Begun = { readonly __typename: string; readonly replayed?: boolean; readonly replay?: Replay }

async function begin(input: Record<string, unknown>): Promise<Begun> {
  const { data, errors } = await network.ask<{ replayWebhookDeliveries: Begun }>(BEGIN, { input })
  expect(errors).toBeUndefined()
  return data.replayWebhookDeliveries
}

async function replayOf(id: string): Promise<Replay | null> {
  const query = `query R($id: ID!) { webhookReplay(id: $id) { ${FIELDS} } }`
  return (await network.ask<{ webhookReplay: Replay | null }>(query, { id })).data.webhookReplay
}

async function finished(input: Record<string, unknown>): Promise<Replay> {
  const id = (await begin(input)).replay?.id ?? ''
  let last: Replay | null = null
  await expect.poll(async () => (last = await replayOf(id)), { timeout: 20_000 }).toMatchObject({ state: 'DONE' })
  if (last === null) throw new Error('The replay is gone.')
  return last
}

async function cancel(replayId: string) {
  return (await network.ask<{ cancelWebhookReplay: Begun }>(CANCEL, { input: { replayId } })).data.cancelWebhookReplay
}

it('plans, applies and counts the deliveries of a filter, also those that were received before a restart', async () => {
  const { paymentId } = await doubtfulDelivery(network)
  const misaddressed = await misaddressedDelivery(network, paymentId)
  const link = await createLink(network)
  await network.sandbox.control.setStatus(link.id, 'pending')
  await settle(network)
  const uuid = (await historyOf(network, link.id)).payment?.id ?? ''
  const { ref } = await addressOf(network, link)
  const unread = await unreadDelivery(network, ref, paymentBody({ uuid, status: 'received' }))

  const before = await everything(network)
  const filter = { dispositions: ['QUARANTINED'], kinds: ['PAYMENT'] }
  const plan = await finished({ filter })
  expect(plan).toMatchObject({
    dryRun: true,
    cancelled: false,
    progress: 100,
    matched: 2,
    changed: 1,
    notReplayable: 1,
  })
  expect(plan['results']).toEqual([
    expect.objectContaining({ deliveryId: misaddressed, dispositionAfter: null, refusal: 'MISADDRESSED' }),
    expect.objectContaining({
      deliveryId: unread,
      dispositionBefore: 'QUARANTINED',
      dispositionAfter: 'APPLIED',
      statusBefore: 'pending',
      statusAfter: 'received',
      delivery: { id: unread, disposition: 'QUARANTINED' },
    }),
  ])
  expect(await everything(network)).toEqual(before)

  expect(await finished({ filter, apply: true })).toMatchObject({ dryRun: false, matched: 2, changed: 1, failed: 0 })
  // What was applied does not meet the filter any more.
  expect(await finished({ filter, apply: true })).toMatchObject({ matched: 1, changed: 0, notReplayable: 1 })
  const none = await finished({ filter: { ...filter, receivedBefore: '2020-01-01T00:00:00Z' } })
  expect(none).toMatchObject({ matched: 0 })
  const attention = await finished({ filter: { needsAttention: true } })
  expect(attention).toMatchObject({ matched: 1 })
  const { data } = await network.ask<{ webhookReplays: { nodes: readonly { id: string }[] } }>(
    '{ webhookReplays(first: 2) { nodes { id } pageInfo { hasNextPage } } }',
  )
  expect(data.webhookReplays).toMatchObject({
    nodes: [{ id: attention['id'] }, { id: none['id'] }],
    pageInfo: { hasNextPage: true },
  })
})

it('can be cancelled, and stays as it ended', async () => {
  const { replay } = await begin({ filter: {} })
  expect(await cancel(replay?.id ?? '')).toMatchObject({ __typename: 'CancelWebhookReplaySuccess' })
  expect(await replayOf(replay?.id ?? '')).toMatchObject({ state: 'DONE' })
  expect(await cancel('999')).toEqual({ __typename: 'PaymentsNotFoundError' })
  expect(await cancel('none')).toEqual({ __typename: 'PaymentsNotFoundError' })
})

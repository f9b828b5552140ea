import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { run } from '../../src/cli/command-line.ts'
import { doubtfulDelivery, everything, misaddressedDelivery, settle, unreadDelivery } from '../support/deliveries.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { historyOf } from '../support/payments.ts'
import { virtualTime } from '../support/virtual-time.ts'
import { addressOf, defaultAddress, deliver, paymentBody } from '../support/webhooks.ts'

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

/** Runs a command as the operator of a network. `shown` is its terminal. */
async function operator(args: readonly string[], { at = network, shown = new PassThrough() } = {}) {
  const env = { SUBGRAPH_URL: `${at.app.url}/graphql`, SUBGRAPH_TOKEN: await at.token() }
  return run(['deliveries', ...args], env, { output: shown, terminal: shown })
}

it('is begun on the command line, which waits for what becomes of the deliveries', async () => {
  const { link, paymentId, deliveryId } = await doubtfulDelivery(network)
  await network.sandbox.control.setStatus(link.id, 'pending')
  await settle(network)
  const shown = new PassThrough()
  const args = ['replay', '--subject', paymentId, '--yes']
  const { code, out, err } = await operator(args, { shown })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toMatch(new RegExp(`^${deliveryId} +DOUBTFUL -> APPLIED +pending -> authorised +-$`, 'm'))
  const again = await operator([...args, '--json'], { shown })
  const { id, ...none } = JSON.parse(again.out) as { id: string }
  expect(none).toMatchObject({ state: 'DONE', cancelled: false, matched: 0, results: [] })
  expect(String(shown.read()).split('\n').slice(1, 3)).toEqual([
    '0 deliveries are replayed.',
    `Replay ${id} runs, also after Ctrl-C. "deliveries cancel ${id}" cancels it.`,
  ])
  expect(await operator(['cancel', id])).toEqual({ code: 0, out: 'It had ended before.\n', err: '' })
  expect(await operator(['cancel', '999'])).toMatchObject({ code: 1, err: expect.stringMatching(/^NOT_FOUND: /) })
})

it('can be cancelled on the command line, while another one waits for it', async () => {
  // As no time passes, it rests after its first hundred deliveries.
  const at = await startNetwork({ timer: virtualTime({ start: new Date() }).timer })
  onTestFinished(() => at.close())
  for (let n = 0; n < 101; n++) await deliver(defaultAddress(at), paymentBody({ uuid: undefined, amount: `${n}` }))
  const shown = Object.assign(new PassThrough(), { isTTY: true })
  const ended = operator(['replay', '--quarantined', '--yes'], { at, shown })
  let text = ''
  await expect.poll(() => (text += String(shown.read() ?? '')), { timeout: 20_000 }).toMatch(/\] 99 %$/)
  const id = /^101 deliveries are replayed\.\nReplay (\d+) runs/.exec(text)?.[1] ?? ''
  expect(await operator(['cancel', id], { at })).toEqual({
    code: 0,
    out: 'Cancelled. What is replayed stays.\n',
    err: '',
  })
  expect(await ended).toMatchObject({
    code: 1,
    out: expect.stringMatching(/^not replayable +100\nfailed +0\n\nDELIVERY[^\n]+\n\S+ +- -> - +- -> - +UNREADABLE$/m),
    err: 'The replay was cancelled.\n100 of 100 deliveries could not be replayed.\n',
  })
})

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { bodyHashes, createKeyRing, Secret } from '../../src/keys/key-ring.ts'
import { SECRETS, type Network } from './network.ts'
import { createLink } from './operations.ts'
import { historyOf } from './payments.ts'
import { openSqliteStore } from './store.ts'
import { addressOf, deliver, deliveries, paymentBody } from './webhooks.ts'

/** Creates a delivery that contradicts the known status. The read that it causes does not confirm it. */
export async function doubtfulDelivery(network: Network) {
  const link = await createLink(network)
  for (const status of ['pending', 'failed'] as const) await network.sandbox.control.setStatus(link.id, status)
  await settle(network)
  await network.sandbox.control.deliver(link.id, { kind: 'late', status: 'authorised' })
  await settle(network)
  const paymentId = (await historyOf(network, link.id)).payment?.id ?? ''
  return { link, paymentId, deliveryId: await latestOf(network, 'DOUBTFUL') }
}

/** Sends a delivery about a payment that has a link to the URL of another link. Returns its id. */
export async function misaddressedDelivery(network: Network, paymentId: string): Promise<string> {
  const other = await createLink(network)
  const body = paymentBody({ uuid: paymentId, status: 'received', bytes: randomUUID() })
  await deliver(await addressOf(network, other), body)
  return latestOf(network, 'QUARANTINED')
}

/** Restarts the app with a stored delivery that an earlier version could not read: with its body, but without a report. Returns its id when what the restart reads has been read. */
export async function unreadDelivery(network: Network, ref: string, body: string): Promise<string> {
  await network.stop()
  const store = await openSqliteStore({ path: join(network.folder, 'payments.db') })
  const keys = createKeyRing([new Secret(SECRETS.signing)])
  const hashes = bodyHashes(keys, Buffer.from(body), ref)
  await store.inbox.receive({ bodyHashes: hashes, ref, body, receivedAt: new Date(), report: null })
  await store.close()
  await network.restart()
  // The body has its link read.
  await settle(network)
  return latestOf(network, 'QUARANTINED')
}

/** Waits until the payments API has sent all webhooks, and the app has ended all calls. */
export async function settle(network: Network): Promise<void> {
  await network.sandbox.settle()
  await network.app.settle()
}

async function latestOf(network: Network, disposition: string): Promise<string> {
  const found = (await deliveries(network)).find((delivery) => delivery.disposition === disposition)
  if (found === undefined) throw new Error(`There is no ${disposition} delivery.`)
  return found.id
}

const REPLAY = `mutation Replay($input: ReplayWebhookDeliveryInput!) {
  replayWebhookDelivery(input: $input) {
    __typename
    ... on ReplayWebhookDeliverySuccess {
      applied dispositionBefore dispositionAfter readRequested statusBefore statusAfter
      delivery { id disposition attempts event { toStatus source } }
    }
    ... on PaymentsNotReplayableError { reason }
    ... on PaymentsError { code retryable }
  }
}`

/** Requests a replay: a dry run, unless `apply` is given. */
export async function replay(network: Network, deliveryId: string, apply?: boolean): Promise<Record<string, unknown>> {
  const input = apply === undefined ? { deliveryId } : { deliveryId, apply }
  const { data } = await network.ask<{ replayWebhookDelivery: Record<string, unknown> }>(REPLAY, { input })
  return data.replayWebhookDelivery
}

/** Returns the data that a dry run must not change: the whole log, the deliveries, the payments with their doubts. */
export async function everything(network: Network): Promise<Record<string, unknown>> {
  const { data, errors } = await network.ask(`{
    paymentEvents(first: 100) { edges { cursor node { id } } }
    webhookDeliveries(first: 100) { nodes { id disposition attempts statusRaw body lastReceivedAt event { id } } }
    payments(first: 100) { nodes { id statusRaw version provisional updatedAt } }
  }`)
  if (errors !== undefined) throw new Error(JSON.stringify(errors))
  return data
}

import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Stream } from '../support/stream.ts'
import { honestHeaders, paymentBody } from '../support/webhooks.ts'
import { type KillableApp, startApp } from './killable-app.ts'
import { lacks } from './means.ts'
import { createPowerDisk, type PowerDisk } from './power-disk.ts'
import { ask, askOnce, followLog } from './process-client.ts'

const PAYMENT = 'query Payment($id: ID!) { payment(id: $id) { statusRaw } }'

/** Requests that are answered meanwhile, one after the other: far more turns of the event loop than an answer takes. */
const PROBES = 20

// promise(kept): While a commit is being synced, nothing of it is acknowledged, queried or streamed; everything else is
// served.
describe.skipIf(lacks('gcc'))('a commit whose sync has not ended', () => {
  let disk: PowerDisk
  let app: KillableApp & { readonly url: string }
  let stream: Stream | null
  /** What the clients received about the payment, in order. */
  let told: string[]

  beforeEach(async () => {
    told = []
    stream = null
    disk = createPowerDisk()
    app = await startApp({ path: disk.path, env: disk.env })
  })

  afterEach(async () => {
    stream?.cut()
    await app.kill()
    disk.remove()
  })

  it('is acknowledged to nobody, shown to nobody and told to no stream, while everything else goes on', async () => {
    const { answers } = await tellWhileHeld()
    expect(told).toEqual([])
    disk.hold(false)
    const [webhook, payment, item] = await answers
    expect(webhook).toBe(200)
    expect(payment).toBe('received')
    expect(item?.event).toMatchObject({ toStatus: 'received' })
  })

  it('is acknowledged to nobody, shown to nobody and told to no stream when the sync fails', async () => {
    const { answers } = await tellWhileHeld()
    disk.failNext('wal')
    disk.hold(false)
    const [webhook, payment, item] = await answers
    expect(webhook).toBe(503)
    expect(payment).not.toBe('received')
    expect(item).toBeNull()
    expect(await app.exited).toEqual({ code: 1, signal: null })
  })

  /** Stores a status, queries and follows it while the sync of its commit is held and other requests are served. Returns the answers. */
  async function tellWhileHeld() {
    const { id, webhook, following } = await holdWebhook()
    const payment = askOnce(app.url, PAYMENT, { id })
      .then(statusOf, () => null)
      .finally(() => told.push('payment'))
    const item = following
      .next()
      .catch(() => null)
      .finally(() => told.push('item'))
    for (let probe = 0; probe < PROBES; probe += 1)
      expect(await fetch(`${app.url}/health/live`)).toMatchObject({ status: 200 })
    return { answers: Promise.all([webhook.finally(() => told.push('webhook')), payment, item]) }
  }

  /** Sends the webhook of a payment whose stream is followed, and holds the sync of its commit. */
  async function holdWebhook() {
    for (;;) {
      const id = randomUUID()
      await deliver(id, 'pending')
      expect(statusOf(await ask(app.url, PAYMENT, { id }))).toBe('pending')
      const following = (stream = await followLog(app.url))
      const events = eventsIn(disk.path)
      disk.hold(true)
      const webhook = deliver(id, 'received')
      while (!disk.isHeld()) await delay(10)
      if (eventsIn(disk.path) > events) return { id, webhook, following }
      // The sync of another commit came first, such as that of a planned read.
      disk.hold(false)
      await webhook
      following.cut()
    }
  }

  async function deliver(uuid: string, status: string): Promise<number> {
    const body = paymentBody({ uuid, status })
    const response = await fetch(`${app.url}/webhooks/payments`, { method: 'POST', headers: honestHeaders(body), body })
    await response.arrayBuffer()
    return response.status
  }
})

/** Returns how many events another process finds in a database, also in commits that are not synced. */
function eventsIn(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true })
  const row = database.prepare('SELECT count(*) AS events FROM events').get()
  database.close()
  return Number(row?.['events'])
}

function statusOf({ data }: { readonly data: Record<string, unknown> | null }): unknown {
  return (data?.['payment'] as { readonly statusRaw: string } | null | undefined)?.statusRaw
}

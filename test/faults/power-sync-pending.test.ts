import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Stream } from '../support/stream.ts'
import { honestHeaders, paymentBody } from '../support/webhooks.ts'
import { type KillableApp, startApp } from './killable-app.ts'
import { lacks } from './means.ts'
import { createPowerDisk, type PowerDisk } from './power-disk.ts'
import { ask, askOnce, followLog } from './process-client.ts'

const PAYMENT = 'query Payment($id: ID!) { payment(id: $id) { statusRaw } }'
const ID = 'synced-payment'

/** Requests that are answered meanwhile, one after the other: far more turns of the event loop than an answer takes. */
const PROBES = 20

describe.skipIf(lacks('gcc'))('a commit whose sync has not ended', () => {
  let disk: PowerDisk
  let app: KillableApp & { readonly url: string }
  let stream: Stream
  /** What the clients received about the payment, in order. */
  let told: string[]

  beforeEach(async () => {
    told = []
    disk = createPowerDisk()
    app = await startApp({ path: disk.path, env: disk.env })
    await deliver('pending')
    stream = await followLog(app.url)
  })

  afterEach(async () => {
    stream.cut()
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
  }, 30_000)

  it('is acknowledged to nobody, shown to nobody and told to no stream when the sync fails', async () => {
    const { answers } = await tellWhileHeld()
    disk.failNext('wal')
    disk.hold(false)
    const [webhook, payment, item] = await answers
    expect(webhook).toBe(503)
    expect(payment).not.toBe('received')
    expect(item).toBeNull()
    expect(await app.exited).toEqual({ code: 1, signal: null })
  }, 30_000)

  /** Stores a status, queries and follows it while the sync of its commit is held and other requests are served. Returns the answers. */
  async function tellWhileHeld() {
    expect(statusOf(await ask(app.url, PAYMENT, { id: ID }))).toBe('pending')
    disk.hold(true)
    const webhook = deliver('received').finally(() => told.push('webhook'))
    while (!disk.isHeld()) await delay(10)
    const payment = askOnce(app.url, PAYMENT, { id: ID })
      .then(statusOf, () => null)
      .finally(() => told.push('payment'))
    const item = stream
      .next()
      .catch(() => null)
      .finally(() => told.push('item'))
    for (let probe = 0; probe < PROBES; probe += 1)
      expect(await fetch(`${app.url}/health/live`)).toMatchObject({ status: 200 })
    return { answers: Promise.all([webhook, payment, item]) }
  }

  async function deliver(status: string): Promise<number> {
    const body = paymentBody({ uuid: ID, status })
    const response = await fetch(`${app.url}/webhooks/payments`, {
      method: 'POST',
      headers: honestHeaders(body),
      body,
    })
    await response.arrayBuffer()
    return response.status
  }
})

function statusOf({ data }: { readonly data: Record<string, unknown> | null }): unknown {
  return (data?.['payment'] as { readonly statusRaw: string } | null | undefined)?.statusRaw
}

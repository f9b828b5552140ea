import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink, LINK, LINK_UPDATES } from '../support/operations.ts'
import { type Database, findPostgres } from '../support/postgres.ts'
import { brokenLinks, isCaughtUp, isReceived, PAYMENT_UPDATES, replay, sequences } from '../support/streams.ts'
import { defaultAddress, deliver, deliveries, paymentBody } from '../support/webhooks.ts'

const server = await findPostgres()

describe.skipIf(server === null)('an app on PostgreSQL', () => {
  let database: Database
  let network: Network
  const start = () => startNetwork({ env: { DATABASE_URL: database.url } })

  beforeAll(async () => {
    if (server === null) return
    database = await server.createDatabase({ migrated: true })
    network = await start()
  })
  afterAll(async () => {
    await network?.close()
    await database?.drop()
  })

  it('tells a payment from link to received, and goes on after a restart where the stream was cut', async () => {
    const link = await createLink(network)
    const first = await network.follow(LINK_UPDATES, { id: link.id })
    await first.until(isCaughtUp)
    await network.sandbox.control.setStatus(link.id, 'pending')
    await first.until((item) => item.event?.toStatus === 'pending')
    await network.restart()
    expect((await first.closed).code).toBe(1012)
    await network.sandbox.control.setStatus(link.id, 'authorised')

    const second = await network.follow(LINK_UPDATES, { id: link.id, after: first.items.at(-1)?.cursor })
    await second.until(isCaughtUp)
    await network.sandbox.control.setStatus(link.id, 'waiting')
    await network.sandbox.control.setStatus(link.id, 'received')
    await second.until(isReceived)
    await second.end()
    const all = [...first.items, ...second.items]
    expect(sequences(all)).toEqual([2, 3, 4, 5])
    expect(brokenLinks(all)).toEqual([])
    expect(sequences(await replay(network, link.id, all[0]?.cursor ?? ''))).toEqual([2, 3, 4, 5])
    const after = await network.ask(LINK, { id: link.id })
    expect(after.data.paymentLink).toMatchObject({ state: 'PAID', payment: { status: 'RECEIVED', version: 5 } })
  })

  it('shows on its streams what another app on the same database has received', async () => {
    const other = await start()
    try {
      const uuid = randomUUID()
      const last = paymentBody({ uuid, status: 'received' })
      expect((await deliver(defaultAddress(network), paymentBody({ uuid }))).status).toBe(200)
      const stream = await other.follow(PAYMENT_UPDATES, { id: uuid })
      await stream.until(isCaughtUp)
      expect((await deliver(defaultAddress(network), last)).status).toBe(200)
      await stream.until(isReceived)
      expect(brokenLinks(stream.items)).toEqual([])
      expect((await deliver(defaultAddress(other), last)).status).toBe(200)
      expect(await deliveries(other, [uuid])).toMatchObject([{ attempts: 2 }, { attempts: 1 }])
      await stream.end()
    } finally {
      await other.close()
    }
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink, LINK, LINK_UPDATES } from '../support/operations.ts'
import { type Database, findPostgres } from '../support/postgres.ts'
import { brokenLinks, isCaughtUp, isReceived, replay, sequences } from '../support/streams.ts'

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
})

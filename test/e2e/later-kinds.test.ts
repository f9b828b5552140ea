import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { LINK_UPDATES } from '../support/operations.ts'
import { isCaughtUp, paidStream } from '../support/streams.ts'

let network: Network

beforeAll(async () => {
  network = await startNetwork()
})
afterAll(() => network.close())

it('an event of a kind that only a later version knows is in its place, in the log and in its stream', async () => {
  const { link, items, paymentId } = await paidStream(network)
  await network.restart(() => {
    const database = new DatabaseSync(join(network.folder, 'payments.db'))
    database.exec("UPDATE events SET kind = '~' WHERE sequence = 2")
    database.close()
  })
  const stream = await network.follow(LINK_UPDATES, {
    id: link.id,
    after: items.find(({ event }) => event?.sequence === 1)?.cursor ?? items[0]?.cursor,
  })
  const replayed = await stream.until(isCaughtUp)
  expect(replayed.find(({ event }) => event?.sequence === 2)).toMatchObject({
    event: { kind: 'OTHER' },
    payment: { id: paymentId },
  })

  const { data, errors } = await network.ask<{ paymentEvents: { nodes: object[] } }>(
    '{ paymentEvents { nodes { kind sequence payment { id } } } }',
  )
  expect(errors).toBeUndefined()
  expect(data.paymentEvents.nodes).toContainEqual({ kind: 'OTHER', sequence: 2, payment: { id: paymentId } })
})

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { TRANSPORTS } from '../support/transports.ts'

let network: Network
beforeAll(async () => {
  network = await startNetwork()
  const database = new DatabaseSync(join(network.folder, 'payments.db'))
  database.exec('ALTER TABLE deliveries RENAME TO gone')
  database.close()
})
afterAll(() => network.close())

it.each(TRANSPORTS)('a fault of ours shows an id over $name, under which it stands in the log', async ({ run }) => {
  const query = 'query ($s: [ID!]) { webhookDeliveries(filter: { subjectIds: $s }) { nodes { id } } }'
  const { data, errors } = await run(network, { query, variables: { s: ['canary-4711'] } }, await network.token())
  expect(data).toEqual({ webhookDeliveries: null })
  expect(errors).toEqual([
    {
      message: 'The answer could not be made. The fault has been logged.',
      path: ['webhookDeliveries'],
      locations: expect.any(Array),
      extensions: { code: 'INTERNAL_SERVER_ERROR', id: expect.stringMatching(/^[\da-f-]{36}$/) },
    },
  ])
  const lines = network
    .log()
    .split('\n')
    .filter((line) => line.includes(String(errors?.[0]?.extensions?.['id'])))
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'error',
    msg: 'a resolver failed',
    err: { name: expect.any(String) },
  })
  expect(network.log()).not.toContain('canary-4711')
})

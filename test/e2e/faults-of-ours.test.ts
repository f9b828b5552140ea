import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { REFRESH } from '../support/payments.ts'
import { TRANSPORTS } from '../support/transports.ts'

let network: Network
let database: DatabaseSync
beforeAll(async () => {
  network = await startNetwork()
  database = new DatabaseSync(join(network.folder, 'payments.db'))
  database.exec('ALTER TABLE deliveries RENAME TO gone')
})
afterAll(() => {
  database.close()
  return network.close()
})

// promise(operations): Errors contain no stack trace.
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

it('a fault of ours in a read is none of the payments API, and stands in the log', async () => {
  const { id } = await createLink(network)
  await network.sandbox.control.setStatus(id, 'expired', { silent: true })
  database.exec(`CREATE TRIGGER broken BEFORE UPDATE ON links BEGIN SELECT RAISE(ABORT, 'no'); END`)
  const { data, errors } = await network.ask(REFRESH, { id })
  expect(data).toEqual({ refreshPayment: null })
  expect(errors).toMatchObject([{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }])
  expect(network.log()).toContain(errors?.[0]?.extensions?.['id'])
})

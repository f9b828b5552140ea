import { expect, onTestFinished, test } from 'vitest'
import { fillingOf } from '../../bench/support/fill-database.ts'
import { createSqlite } from '../../bench/support/webhooks/databases.ts'
import { faultsOf } from '../../bench/support/webhooks/rounds.ts'

test('the check of the bench finds webhooks that were refused, and what is not stored', async () => {
  const database = await createSqlite(fillingOf(10))
  onTestFinished(() => database.remove())
  const target = { name: 'A node', receiver: { urls: [], pids: [] }, database, stop: async () => {} }

  expect(await faultsOf({ target, sent: { payments: 0, webhooks: 0, refused: {} } })).toEqual([])
  expect(await faultsOf({ target, sent: { payments: 1, webhooks: 4, refused: { 503: 1 } } })).toEqual([
    'A node: 1 of 4 webhooks were answered with 503.',
    'A node: 0 deliveries are stored, and 4 were sent.',
    'A node: 0 events are stored, and 4 were sent.',
    'A node: 0 payments in the status received are stored, and 1 were sent.',
  ])
})

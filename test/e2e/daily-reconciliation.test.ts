import { afterAll, beforeAll, expect, it } from 'vitest'
import { AT_REST, dailyReport, importAll, importsOf, payinElsewhere } from '../support/imports.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { readPayment } from '../support/payins.ts'

const HOUR = 3_600_000
let network: Network
/** How far the app's clock is ahead of that of the payments API, in milliseconds. */
let ahead = 0
const clock = () => new Date(Date.now() + ahead)
beforeAll(async () => void (network = await startNetwork({ sandbox: AT_REST, clock })))
afterAll(() => network.close())

it('compares each day on the next one, unless it is switched off, and records what was missed', async () => {
  const id = await payinElsewhere(network)
  await createLink(network)
  const today = new Date().toISOString().slice(0, 10)
  ahead = Date.parse(today) + 36 * HOUR - Date.now()
  await network.restart(undefined, { DAILY_RECONCILIATION: 'off' })
  // The comparison of a day would be begun before it.
  await importAll(network, expect.poll, { dryRun: true })
  expect(await dailyReport(network)).toBeNull()
  expect(await readPayment(network, id)).toBeNull()

  await network.restart()
  const expected = { state: 'DONE', daily: true, dryRun: false, requestedBy: null, from: `${today}T00:00:00.000Z` }
  await expect.poll(() => dailyReport(network)).toMatchObject(expected)
  const report = await dailyReport(network, today)
  expect(report?.lists.flatMap(({ addedIds }) => addedIds)).toEqual([id])
  expect(report?.totals.filter(({ currency }) => currency === 'KRW').map(({ site }) => site)).toEqual(['krw', null])
  expect(report?.totals.find(({ currency }) => currency === 'KRW')).toMatchObject({ difference: { count: 1 } })
  expect(await readPayment(network, id)).not.toBeNull()
  expect(await dailyReport(network, '2020-02-29')).toBeNull()
  expect((await importsOf(network, { daily: true })).nodes).toHaveLength(1)
})

import { afterAll, beforeAll, expect, it } from 'vitest'
import { AT_REST, dailyReport, importAll, importsOf, payinElsewhere } from '../support/imports.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { readPayment } from '../support/payins.ts'

const HOUR = 3_600_000
let network: Network
/** How far the app's clock is ahead of that of the payments API, in milliseconds. */
let ahead = 0
const clock = () => new Date(Date.now() + ahead)
beforeAll(async () => void (network = await startNetwork({ sandbox: AT_REST, clock })))
afterAll(() => network.close())

const ON = { DAILY_RECONCILIATION: 'on' }

it('compares each day once, on the next one, and records nothing', async () => {
  const id = await payinElsewhere(network)
  const today = new Date().toISOString().slice(0, 10)
  const at = (hours: number) => {
    ahead = Date.parse(today) + hours * HOUR - Date.now()
  }
  /** Awaits an import of the importer, which begins the daily one first. */
  const anyImport = () => importAll(network, expect.poll, { dryRun: true })
  await anyImport()
  expect(await dailyReport(network)).toBeNull()
  // Within an hour after its end a day is not compared yet.
  at(24.5)
  await network.restart(undefined, ON)
  await anyImport()
  expect(await dailyReport(network, today)).toBeNull()
  expect(await dailyReport(network)).toMatchObject({ to: new Date(Date.parse(today) - 1).toISOString() })

  at(36)
  await network.restart(undefined, ON)
  const expected = { state: 'DONE', daily: true, dryRun: true, requestedBy: null, from: `${today}T00:00:00.000Z` }
  await expect.poll(() => dailyReport(network)).toMatchObject(expected)
  const report = await dailyReport(network, today)
  expect(report?.lists.flatMap(({ addedIds }) => addedIds)).toEqual([id])
  expect(report?.totals.filter(({ currency }) => currency === 'KRW').map(({ site }) => site)).toEqual(['krw', null])
  expect(report?.totals.map(({ difference }) => difference.count)).toEqual([1, 1])
  expect(await readPayment(network, id)).toBeNull()
  expect(await dailyReport(network, '2020-02-29')).toBeNull()

  at(46)
  await network.restart(undefined, ON)
  await anyImport()
  expect((await importsOf(network, { daily: true })).nodes).toHaveLength(2)
  at(60)
  await network.restart(undefined, ON)
  await expect.poll(async () => (await importsOf(network, { daily: true })).nodes).toHaveLength(3)
})

import { beforeAll, describe, expect, test } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { accessibilityFaults, findBrowser } from './browser.ts'

const browser = await findBrowser()

describe.skipIf(browser.isMissing)('the pages', () => {
  let network: Network
  beforeAll(async () => {
    network = await startNetwork()
    return () => network.close()
  })

  test('begin with one that leads to the others', async () => {
    const { open } = await browser.profile()
    const page = await open(network.app.url)
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('link', { name: 'Shop' }).click()
    await page.waitForURL('**/shop')
  })

  test('have an explorer of the schema', async () => {
    const { open } = await browser.profile()
    const page = await open(`${network.app.url}/graphql`)
    await page.getByRole('button', { name: 'Execute query' }).waitFor()
    expect(await page.title()).toBe('GraphQL explorer')
  })
})

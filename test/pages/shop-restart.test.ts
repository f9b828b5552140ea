import { beforeAll, describe, expect, test } from 'vitest'
import { accessibilityFaults, findBrowser } from '../browser/browser.ts'
import { openPopup, placeOrder, showsHeadline } from '../browser/shop.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { notice, visit } from './sandbox-visit.ts'

const browser = await findBrowser()

describe.skipIf(browser.isMissing)('the shop over a reset of the sandbox', () => {
  let network: Network
  beforeAll(async () => {
    network = await startNetwork({ sandbox: { paceMs: 50 } })
    return () => network.close()
  })

  test('gets a new link for the same basket, and can be paid', async () => {
    const { open } = await browser.profile({ expectedErrors: [/status of 410/] })
    const page = await open(`${network.app.url}/shop`)
    await placeOrder(page)
    const [before] = network.sandbox.control.state().links
    const sandbox = await open(network.sandbox.origin)
    await visit(sandbox, 'Reset')
    await sandbox.getByRole('button', { name: 'Reset the sandbox …' }).click()
    expect(await accessibilityFaults(sandbox)).toEqual([])
    await sandbox.getByRole('button', { name: 'Remove all data' }).click()
    await notice(sandbox, 'The sandbox is empty.')
    expect(network.sandbox.control.state().links).toEqual([])

    await page.goto(`${network.app.url}/shop`)
    await placeOrder(page)
    const [after] = network.sandbox.control.state().links
    expect(after?.uuid).not.toBe(before?.uuid)
    const popup = await openPopup(page)
    await popup.getByRole('button', { name: 'Pay', exact: true }).click()
    await showsHeadline(page, 'paid')
  })

  test('gets a new link when the page of the order is loaded again', async () => {
    const { open } = await browser.profile({ expectedErrors: [/status of 410/] })
    const page = await open(`${network.app.url}/shop`)
    await placeOrder(page)
    const address = page.url()
    network.sandbox.control.reset()
    await page.reload()
    await page.waitForURL((url) => url.href !== address)
    await showsHeadline(page, 'ready')
    expect(network.sandbox.control.state().links).toMatchObject([{ status: 'pending' }])
    // The link is there: it stays the same.
    const renewed = page.url()
    await page.reload()
    await showsHeadline(page, 'ready')
    await expect
      .poll(() => network.sandbox.control.calls().filter(({ status }) => status === 200).length)
      .toBeGreaterThan(0)
    expect(page.url()).toBe(renewed)
  })
})

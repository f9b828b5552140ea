import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { accessibilityFaults, findBrowser, keepPicture } from '../browser/browser.ts'
import { add, openDrawer, openPopup, PAY, placeAndClose, placeOrder, showsHeadline } from '../browser/shop.ts'
import { startNetwork, type Network } from '../support/network.ts'

/** Milliseconds after which a request without an answer cannot be in flight any more. */
const REPEATED_AFTER_MS = 30_001

const browser = await findBrowser()

describe.skipIf(browser.isMissing)('trouble with a payment', () => {
  let network: Network
  let ahead = 0
  beforeAll(async () => {
    network = await startNetwork({ sandbox: { paceMs: 50 }, clock: () => new Date(Date.now() + ahead) })
    return () => network.close()
  })
  const shop = () => `${network.app.url}/shop`

  test('a decline says why and what helps, and another try goes through', async () => {
    const { open } = await browser.profile()
    const page = await open(shop())
    const declining = await placeOrder(page)
    await declining.getByRole('button', { name: 'Decline' }).click()
    await declining.getByText('The payment failed.').waitFor()
    await Promise.all([declining.waitForEvent('close'), declining.getByRole('button', { name: 'Done' }).click()])
    await showsHeadline(page, 'failed')
    await page.getByText('Nothing was charged.').waitFor()
    await page.getByText('Another way to pay, or another card, may work.').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await keepPicture(page, 'shop-failed')
    const popup = await openPopup(page, 'Pay again')
    await popup.getByRole('button', { name: 'Pay again' }).click()
    await showsHeadline(page, 'paid')
  })

  test('a link whose time is over is followed by a new one for the same order', async () => {
    const { open } = await browser.profile()
    const page = await open(shop())
    await placeAndClose(page)
    const before = new URL(page.url())
    await openDrawer(page)
    await press(page, 'Let the time run out')
    await showsHeadline(page, 'expired')
    expect(await accessibilityFaults(page)).toEqual([])
    await keepPicture(page, 'shop-expired')
    await page.getByRole('button', { name: 'Get a new link' }).click()
    await showsHeadline(page, 'ready')
    const after = new URL(page.url())
    expect(after.search).toBe(before.search)
    expect(after.hash).not.toBe(before.hash)
    const popup = await openPopup(page)
    await popup.getByRole('button', { name: PAY }).click()
    await showsHeadline(page, 'paid')
  })

  test('an order while the payments API is away can be tried again, and is the same order', async () => {
    const { open } = await browser.profile({ expectedErrors: [/503/] })
    const page = await open(shop())
    await placeAndClose(page)
    await openDrawer(page)
    await press(page, 'Take the payments API down')
    await page.goBack()
    await add(page, 'Coffee beans, 250 g')
    await add(page, 'Coffee beans, 250 g')
    await page.getByRole('button', { name: 'Pay A$55.50' }).click()
    await page.getByRole('alert').filter({ hasText: 'Nothing was charged' }).waitFor()
    await page.getByLabel('Currency').selectOption('USD')
    await page.getByText('Payments in USD are not possible at the moment.').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByLabel('Currency').selectOption('AUD')
    await page.getByRole('button', { name: 'Pay A$55.50' }).click()
    await page.getByRole('alert').filter({ hasText: 'We will try again automatically' }).waitFor()
    network.sandbox.control.clearFaults()
    // Until then the attempt can still create a link; after it the command is sent again, without another click.
    ahead += REPEATED_AFTER_MS
    await showsHeadline(page, 'ready')
    await expect.poll(() => page.locator('.receipt').textContent()).toContain('A$55.50')
  })
})

/** Presses a button of the drawer, and waits for its report. */
async function press(page: Page, name: string): Promise<void> {
  await page.locator('.dev').getByRole('button', { name, exact: true }).click()
  await page
    .locator('.reports li', { hasText: `${name}:` })
    .last()
    .waitFor()
}

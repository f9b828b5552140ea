import type { Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { accessibilityFaults, findBrowser, keepPicture } from '../browser/browser.ts'
import { openConsole } from '../browser/console.ts'
import { misaddressedDelivery } from '../support/deliveries.ts'
import { startNetwork, type Network, type NetworkOptions } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { historyOf, REFRESH } from '../support/payments.ts'

const browser = await findBrowser()

describe.skipIf(browser.isMissing)('health in the console', () => {
  test('shows what is open, what waits, and a service that does not answer', async () => {
    const network = await ownNetwork({ breaker: { least: 3 } })
    const link = await createLink(network)
    await network.sandbox.control.setStatus(link.id, 'received')
    await misaddressedDelivery(network, (await historyOf(network, link.id)).payment?.id ?? '')
    const page = await openConsole(await browser.profile(), network, { at: '/health' })
    const site = page.getByRole('row').filter({ hasText: 'AUD' })
    await site.getByText('Available').waitFor()
    await expect.poll(() => figureOf(page, 'Deliveries in quarantine')).toBe('1')
    await page.getByText('This process').waitFor()
    // The socket of this page's event stream.
    await expect.poll(() => figureOf(page, 'Sockets')).toBe('1')
    network.sandbox.control.addFault({ times: 1000, answer: { status: 500 } })
    for (let times = 0; times < 6; times += 1) await network.ask(REFRESH, { id: link.id })
    await site.getByText('Unavailable').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await keepPicture(page, 'console-health')
  })

  test('shows the methods, how fresh they are, and what is missing', async () => {
    const network = await ownNetwork()
    const page = await openConsole(await browser.profile(), network, { at: '/methods' })
    await page.getByRole('rowheader').filter({ hasText: 'au_card_aud' }).waitFor()
    await expect.poll(() => page.getByText(/Read from the payments API/).count()).toBe(2)
    const payins = page.getByRole('table', { name: 'Payin methods' })
    const rowOf = (code: string) =>
      payins
        .getByRole('row')
        .filter({ has: page.getByText(code, { exact: true }) })
        .textContent()
    await expect.poll(() => rowOf('au_card_aud')).toContain('links, direct payins')
    await expect.poll(() => rowOf('nz_card_nzd')).toMatch(/Card.*links(?!, )/)
    await expect.poll(() => rowOf('usdc_bank')).toMatch(/direct payins.*no amount/)
    await expect.poll(() => rowOf('mw_mobile_money_mwk')).toContain('(airtel, tnm)')
    await page.getByRole('checkbox', { name: 'KRW' }).check()
    await page.waitForURL('**/console#/methods?currency=KRW')
    await page.getByRole('rowheader').filter({ hasText: 'au_card_aud' }).waitFor({ state: 'detached' })
    expect(await page.getByRole('cell', { name: 'AUD' }).count()).toBe(0)
    await expect.poll(() => page.getByRole('cell', { name: 'KRW', exact: true }).count()).toBeGreaterThan(0)
    expect(await accessibilityFaults(page)).toEqual([])
  })
})

/** Returns a network of this test alone: each test, and its repetition, counts from nothing and with closed circuit breakers. */
async function ownNetwork(options?: NetworkOptions): Promise<Network> {
  const network = await startNetwork(options)
  onTestFinished(() => network.close())
  return network
}

function figureOf(page: Page, name: string): Promise<string | null> {
  return page
    .locator('div')
    .filter({ hasText: new RegExp(`^${name}`) })
    .locator('dd')
    .textContent()
}

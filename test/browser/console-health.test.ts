import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { misaddressedDelivery } from '../support/deliveries.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { historyOf, REFRESH } from '../support/payments.ts'
import { accessibilityFaults, findBrowser, keepPicture } from './browser.ts'
import { openConsole, PATIENT } from './console.ts'

vi.setConfig(PATIENT)
const browser = await findBrowser()

describe.skipIf(browser.isMissing)('health in the console', () => {
  let network: Network
  beforeAll(async () => {
    network = await startNetwork({ breaker: { least: 3 } })
    return () => network.close()
  })

  test('shows what is open, what waits, and a service that does not answer', async () => {
    const link = await createLink(network)
    await network.sandbox.control.setStatus(link.id, 'received')
    await misaddressedDelivery(network, (await historyOf(network, link.id)).payment?.id ?? '')
    const page = await openConsole(await browser.profile(), network, { at: '/health' })
    const site = page.getByRole('row').filter({ hasText: 'AUD' })
    await site.getByText('Available').waitFor()
    expect(
      await page
        .locator('div')
        .filter({ hasText: /^Deliveries in quarantine/ })
        .locator('dd')
        .textContent(),
    ).toBe('1')
    await page.getByText('The process that answered').waitFor()
    // The socket of this page's event stream.
    expect(
      await page
        .locator('div')
        .filter({ hasText: /^Sockets/ })
        .locator('dd')
        .textContent(),
    ).toBe('1')
    network.sandbox.control.addFault({ times: 1000, answer: { status: 500 } })
    for (let times = 0; times < 6; times += 1) await network.ask(REFRESH, { id: link.id })
    await site.getByText('Unavailable').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await keepPicture(page, 'console-health')
  })

  test('shows the methods, how fresh they are, and what is missing', async () => {
    // The other test may have opened the circuit breaker of a site.
    const own = await startNetwork()
    onTestFinished(() => own.close())
    const page = await openConsole(await browser.profile(), own, { at: '/methods' })
    await page.getByRole('rowheader').filter({ hasText: 'au_card_aud' }).waitFor()
    expect(await page.getByText(/Read from the payments API/).count()).toBe(2)
    const payins = page.getByRole('table', { name: 'Methods of money in' })
    const rowOf = (code: string) =>
      payins
        .getByRole('row')
        .filter({ has: page.getByText(code, { exact: true }) })
        .textContent()
    expect(await rowOf('au_card_aud')).toContain('links, direct payins')
    expect(await rowOf('nz_card_nzd')).toMatch(/Card.*links(?!, )/)
    expect(await rowOf('usdc_bank')).toMatch(/direct payins.*no amount/)
    expect(await rowOf('mw_mobile_money_mwk')).toContain('(airtel, tnm)')
    await page.getByRole('checkbox', { name: 'KRW' }).check()
    await page.waitForURL('**/console#/methods?currency=KRW')
    await page.getByRole('rowheader').filter({ hasText: 'au_card_aud' }).waitFor({ state: 'detached' })
    expect(await page.getByRole('cell', { name: 'AUD' }).count()).toBe(0)
    expect(await page.getByRole('cell', { name: 'KRW', exact: true }).count()).toBeGreaterThan(0)
    expect(await accessibilityFaults(page)).toEqual([])
  })
})

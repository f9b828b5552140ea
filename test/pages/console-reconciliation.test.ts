import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { accessibilityFaults, findBrowser } from '../browser/browser.ts'
import { openConsole } from '../browser/console.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { historyOf } from '../support/payments.ts'

const browser = await findBrowser()

describe.skipIf(browser.isMissing)('reconciliation in the console', () => {
  let network: Network
  beforeAll(async () => {
    network = await startNetwork({ sandbox: { paceMs: 3_600_000 } })
    return () => network.close()
  })
  beforeEach(() => network.sandbox.control.clearFaults())

  test('shows what differs, with what to do, and the sums of both sides', async () => {
    const { id } = await createLink(network, { reference: 'order-missed' })
    await network.sandbox.control.setStatus(id, 'pending')
    const paymentId = (await historyOf(network, id)).payment?.id ?? ''
    await network.sandbox.control.setStatus(id, 'received', { silent: true })
    const page = await begin()
    await page.getByRole('button', { name: 'Compare only' }).click()
    await page.getByRole('heading', { level: 1, name: 'Differences' }).waitFor()
    const item = page.getByRole('region', { name: 'What to do' }).getByRole('listitem')
    await item.filter({ hasText: 'aud, links: 1 in another state' }).getByRole('link', { name: paymentId }).waitFor()
    expect(await page.getByRole('row', { name: /^Payments AUD/ }).textContent()).toMatch(/\+125\.50$/)
    expect(await accessibilityFaults(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await accessibilityFaults(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    await page.getByRole('button', { name: 'Record what is missing' }).click()
    await page.getByRole('heading', { level: 1, name: 'Corrected' }).waitFor()
  })

  test('cancels a comparison that runs', async () => {
    network.sandbox.control.addFault({ method: 'GET', answer: { delayMs: 1_000 } })
    const page = await begin()
    await page.getByRole('button', { name: 'Compare only' }).click()
    await page
      .getByRole('region', { name: /^Comparing/ })
      .getByRole('button', { name: 'Cancel' })
      .click()
    await page.getByRole('heading', { level: 1, name: 'Cancelled' }).waitFor()
    expect(await page.getByRole('button', { name: 'Cancel', exact: true }).count()).toBe(0)
  })

  async function begin() {
    const page = await openConsole(await browser.profile(), network, { at: '/imports' })
    await page.getByRole('button', { name: 'Compare days …' }).click()
    await page.getByLabel('Created from').fill(new Date(Date.now() - 7_200_000).toISOString().slice(0, 16))
    expect(await accessibilityFaults(page)).toEqual([])
    return page
  }
})

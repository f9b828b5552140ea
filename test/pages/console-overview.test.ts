import { text as textOf } from 'node:stream/consumers'
import { beforeAll, describe, expect, test } from 'vitest'
import { accessibilityFaults, findBrowser } from '../browser/browser.ts'
import { goTo, openConsole } from '../browser/console.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'

const browser = await findBrowser()

describe.skipIf(browser.isMissing)('the overview of the console, and the list behind it', () => {
  let network: Network
  beforeAll(async () => {
    network = await startNetwork()
    for (let index = 0; index < 24; index += 1) await make(`order-${index}`, 'received')
    await make('order-failed', 'failed')
    await make('order-disputed', 'in_dispute')
    return () => network.close()
  })

  test('has the figures of the payments, first what needs attention, at each width', async () => {
    const page = await openConsole(await browser.profile({ viewport: { width: 1_280, height: 800 } }), network)
    await page.keyboard.press('g')
    await page.keyboard.press('v')
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    const volume = page.getByRole('row').filter({ hasText: 'Australian Dollar' })
    await expect.poll(() => volume.textContent()).toContain('3,137.50')
    const received = page.getByRole('img', { name: /^Received in AUD by day: .* 3,137\.50 AUD$/ })
    await received.waitFor()
    await expect.poll(() => page.getByLabel('Key figures of 24 hours').textContent()).toMatch(/received25.*96\.2 %/)
    await page.getByRole('row').filter({ hasText: 'Card' }).filter({ hasText: '25 of 26' }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await accessibilityFaults(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    // From here by keys alone to the payment that needs a person.
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Payment order-disputed' }).waitFor()
    await page.getByRole('heading', { name: 'The customer disputes this payment' }).waitFor()
  })

  test('selects rows by x, adds them up, and downloads them alone', async () => {
    const profile = await browser.profile({ viewport: { width: 1_280, height: 800 } })
    const page = await openConsole(profile, network, { at: '/payments' })
    await expect
      .poll(() => page.getByLabel('Totals of the list').textContent())
      .toMatch(/Payments26Received3,137\.50 AUD/)
    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key)
    const selection = page.getByRole('group', { name: 'Selected payments' })
    await expect.poll(() => selection.textContent()).toContain('251.00 AUD')
    expect(await accessibilityFaults(page)).toEqual([])
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      selection.getByRole('button', { name: 'CSV of the selection' }).click(),
    ])
    const lines = (await textOf(await file.createReadStream())).split(/\r?\n/)
    expect(lines.filter((line) => line.startsWith('PAYMENT'))).toHaveLength(2)
  })

  test('shows twenty rows at 1280 by 800 when it is compact, and the first on a phone', async () => {
    const profile = await browser.profile({ viewport: { width: 1_280, height: 800 } })
    const page = await openConsole(profile, network, { at: '/payments' })
    await page.evaluate("localStorage.setItem('console.density', 'compact')")
    await page.reload()
    await page.getByLabel('Totals of the list').waitFor()
    const bottom = async () => {
      const box = await page.locator('tbody tr').nth(19).boundingBox()
      return (box?.y ?? Infinity) + (box?.height ?? 0)
    }
    expect(await bottom()).toBeLessThanOrEqual(800)
    await page.setViewportSize({ width: 390, height: 844 })
    expect((await page.locator('tbody tr').first().boundingBox())?.y).toBeLessThanOrEqual(300)
  })

  test('takes a typed status as a filter, and keeps it under a name', async () => {
    const page = await openConsole(await browser.profile(), network, { at: '/payments?q=failed' })
    await page.waitForURL('**/console#/payments?status=FAILED')
    await page.getByRole('link', { name: 'order-failed' }).waitFor()
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByLabel('Name of this view').fill('To call')
    await page.getByRole('button', { name: 'Save the view' }).click()
    await goTo(page, '/payments?q=4242')
    await page.getByRole('link', { name: 'Filter: Card ending in 4242' }).click()
    await page.waitForURL('**/console#/payments?last4=4242')
    await page.reload()
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('link', { name: 'To call' }).click()
    await page.waitForURL('**/console#/payments?status=FAILED')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or jump to' }).fill('125.50 AUD')
    await page.getByRole('option', { name: 'Payments: Amount 125.50 AUD' }).click()
    await expect.poll(() => new URL(page.url()).hash).toBe('#/payments?currency=AUD&min=125.50&max=125.50')
  })

  async function make(reference: string, status: 'received' | 'failed' | 'in_dispute'): Promise<void> {
    const { id } = await createLink(network, { reference })
    await network.sandbox.control.setStatus(id, status)
  }
})

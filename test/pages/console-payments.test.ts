import { text as textOf } from 'node:stream/consumers'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { accessibilityFaults, findBrowser, keepPicture } from '../browser/browser.ts'
import { goTo, isLive, openConsole, openFilter } from '../browser/console.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { historyOf } from '../support/payments.ts'

const browser = await findBrowser()

describe.skipIf(browser.isMissing)('payments in the console', () => {
  let network: Network
  let failed: string
  beforeAll(async () => {
    network = await startNetwork()
    for (let index = 0; index < 52; index += 1) await make(`order-${index}`, 'received')
    failed = await make('order-failed', 'failed')
    return () => network.close()
  })

  test('are exported with the filter of the list, and with payers where they may be seen', async () => {
    const page = await openConsole(await browser.profile(), network, { at: '/payments?phase=FAILED' })
    const exported = async () => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download' }).click(),
      ])
      const file = await textOf(await download.createReadStream())
      return { name: download.suggestedFilename(), lines: file.trimEnd().split(/\r?\n/) }
    }
    await page.getByRole('button', { name: 'Export' }).click()
    const csv = await exported()
    expect(csv.name).toMatch(/^payments-\d{8}T\d{6}Z\.csv$/)
    expect(csv.lines.map((line) => line.split(',')[0])).toEqual(['record', 'PAYMENT', 'TOTAL', 'END'])
    expect(csv.lines[1]).toContain(`,${failed},order-failed,`)
    await page.getByText('The download has begun.').waitFor()
    await page.getByLabel('File format').selectOption('NDJSON')
    await page.getByLabel('With names and e-mail addresses').check()
    const ndjson = await exported()
    expect(ndjson.name).toMatch(/\.ndjson$/)
    expect(ndjson.lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { payment: { id: failed, payerEmail: expect.stringContaining('@') as string } },
      { count: 1 },
    ])
    expect(new URL(page.url()).hash).toBe('#/payments?phase=FAILED')
    expect(await accessibilityFaults(page)).toEqual([])
    const scopes = ['payments:read'] as const
    const limited = await openConsole(await browser.profile(), network, { scopes, at: '/payments' })
    await limited.getByRole('button', { name: 'Export' }).click()
    await limited.getByLabel('File format').waitFor()
    expect(await limited.getByLabel('With names and e-mail addresses').count()).toBe(0)
  })

  test('are filtered in the address, which can be shared and gone back to', async () => {
    const profile = await browser.profile()
    const page = await openConsole(profile, network, { at: '/payments' })
    await openFilter(page, 'Status')
    await page.getByRole('checkbox', { name: 'Failed', exact: true }).check()
    await page.waitForURL('**/console#/payments?status=FAILED')
    await expect.poll(() => references(page)).toEqual(['order-failed'])
    await page.getByRole('checkbox', { name: 'Received', exact: true }).check()
    await page.waitForURL('**/console#/payments?status=RECEIVED%2CFAILED')
    await expect.poll(async () => (await references(page)).length).toBe(50)
    await page.goBack()
    await expect.poll(() => references(page)).toEqual(['order-failed'])
    expect(await page.getByRole('checkbox', { name: 'Received', exact: true }).isChecked()).toBe(false)
    await page.reload()
    await expect.poll(() => references(page)).toEqual(['order-failed'])
    await page.getByRole('button', { name: 'Remove the filter Status' }).click()
    await page.getByRole('link', { name: 'Failed', exact: true }).click()
    await page.waitForURL('**/console#/payments?phase=FAILED')
    await expect.poll(() => references(page)).toEqual(['order-failed'])
    await openFilter(page, 'Changed')
    await page.getByLabel('Changed before').fill('2020-01-31T12:00')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.waitForURL('**before=2020-01-31T12%3A00%3A00.000Z**')
    await page.getByText('There are no payments here.').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('are dimmed while they are those of another filter', async () => {
    const page = await openConsole(await browser.profile(), network, { at: '/payments' })
    await page.getByRole('link', { name: 'order-failed' }).waitFor()
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('query Payments(') === true)
        await new Promise((resolve) => setTimeout(resolve, 400))
      await route.continue()
    })
    await page.evaluate(watchRows)
    await page.getByRole('link', { name: 'Failed', exact: true }).click()
    await expect.poll(() => references(page)).toEqual(['order-failed'])
    await expect.poll(() => page.locator('.rows').getAttribute('aria-busy')).toBe('false')
    // Rows of all payments were shown meanwhile, and never without the mark.
    expect(await page.evaluate('window.seen')).toEqual({ marked: true, unmarked: false })
  })

  test('are found again where they were left, and page by page', async () => {
    const page = await openConsole(await browser.profile(), network, { at: '/payments' })
    await page.getByRole('link', { name: 'Next page' }).click()
    await expect.poll(async () => (await references(page)).length).toBeLessThan(50)
    await page.getByRole('link', { name: 'Previous page' }).click()
    await page.getByRole('link', { name: 'order-failed' }).waitFor()
    await page.getByRole('link', { name: 'order-20', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Payment order-20' }).waitFor()
    expect(await page.evaluate('window.scrollY')).toBe(0)
    await page.goBack()
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('order-20')
    expect(await page.evaluate('window.scrollY')).toBeGreaterThan(200)
  })

  test('are found from anywhere by what one has of them, and counted while they need a person', async () => {
    const page = await openConsole(await browser.profile(), network, { at: '/health' })
    await isLive(page)
    await page.keyboard.press('Control+k')
    const box = page.getByRole('combobox', { name: 'Search or jump to' })
    await box.fill('order-fai')
    await page.getByRole('option', { name: /order-failed.*Failed/ }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Payment order-failed' }).waitFor()
    const counted = async () => {
      const text = await page.locator('.sidebar a[href="#/payments"] .count').allTextContents()
      return Number(text[0]?.split(' ')[0] ?? 0)
    }
    const before = await counted()
    await make('order-disputed', 'in_dispute')
    await expect.poll(counted, { timeout: 2_500 }).toBe(before + 1)
    await goTo(page, '/payments?attention=YES')
    await expect.poll(() => references(page)).toContain('order-disputed')
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await accessibilityFaults(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    expect((await page.getByRole('row').nth(1).boundingBox())?.y).toBeLessThanOrEqual(300)
  })

  test('tell how they came about, in a picture and in words, beside what was delivered', async () => {
    const link = await createLink(network, { reference: 'order-told' })
    await network.sandbox.control.setStatus(link.id, 'pending')
    const paymentId = (await historyOf(network, link.id)).payment?.id ?? ''
    const page = await openConsole(await browser.profile(), network, { at: `/payments/${paymentId}` })
    await page.getByRole('heading', { level: 1, name: 'Payment order-told' }).waitFor()
    for (const status of ['authorised', 'waiting', 'received'] as const)
      await network.sandbox.control.setStatus(link.id, status)
    await network.sandbox.control.deliver(link.id, { kind: 'duplicate', count: 2 })
    const forged = await network.sandbox.control.deliver(link.id, { kind: 'forged', status: 'failed' })
    expect(forged.deliveries.map(({ status }) => status)).toEqual([401])
    await network.sandbox.control.setStatus(link.id, 'in_dispute')

    const items = page.getByRole('list', { name: 'Timeline' }).getByRole('listitem')
    await items.filter({ hasText: 'to In dispute' }).waitFor()
    await items.filter({ hasText: 'Delivery received 2 more times: Received' }).waitFor()
    const titles = () => page.locator('.timeline .title').allTextContents()
    await page.getByRole('button', { name: 'Events', exact: true }).click()
    await expect
      .poll(titles)
      .toEqual([
        'Received  to  In dispute',
        'Waiting for funds  to  Received',
        'Authorised  to  Waiting for funds',
        'Pending  to  Authorised',
        'Pending',
        'Link created',
      ])
    await page.getByRole('button', { name: 'Deliveries', exact: true }).click()
    // One body was delivered three times, and the forged ones were rejected.
    await expect
      .poll(async () => (await titles()).toSorted())
      .toEqual([
        'Delivery applied: Authorised',
        'Delivery applied: In dispute',
        'Delivery applied: Pending',
        'Delivery applied: Received',
        'Delivery applied: Waiting for funds',
        'Delivery received 2 more times: Received',
      ])
    await page.getByRole('button', { name: 'All', exact: true }).click()
    expect(await page.getByText('failed').count()).toBe(0)
    expect(await accessibilityFaults(page)).toEqual([])
    await page.setViewportSize({ width: 1280, height: 1000 })
    await keepPicture(page, 'console-payment')
  })

  async function make(reference: string, status: 'received' | 'failed' | 'in_dispute'): Promise<string> {
    const customer = { firstName: 'Grace', lastName: 'Hopper', email: 'grace@example.test' }
    const { id } = await createLink(network, { reference, ...(status === 'failed' ? { customer } : {}) })
    await network.sandbox.control.setStatus(id, status)
    return (await historyOf(network, id)).payment?.id ?? ''
  }
})

function references(page: Page): Promise<string[]> {
  return page.locator('table [data-row]').allTextContents()
}

/** Notes in the page whether rows of other payments are shown with the mark, and whether without it. */
function watchRows(): void {
  const seen = { marked: false, unmarked: false }
  Object.assign(window, { seen })
  const look = () => {
    const tab = document.querySelector('.tabs [aria-current]')?.textContent
    const isOf = tab === 'Failed' && document.querySelectorAll('tbody tr').length > 1
    const isMarked = document.querySelector('.rows')?.getAttribute('aria-busy') === 'true'
    if (isOf && isMarked) seen.marked = true
    if (isOf && !isMarked) seen.unmarked = true
    requestAnimationFrame(look)
  }
  look()
}

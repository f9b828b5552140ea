import { text as textOf } from 'node:stream/consumers'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { accessibilityFaults, findBrowser, keepPicture } from '../browser/browser.ts'
import { openConsole } from '../browser/console.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { historyOf } from '../support/payments.ts'

const browser = await findBrowser()

describe.skipIf(browser.isMissing)('payments in the console', () => {
  let network: Network
  let failed: string
  beforeAll(async () => {
    network = await startNetwork()
    for (let index = 0; index < 22; index += 1) await make(`order-${index}`, 'received')
    failed = await make('order-failed', 'failed')
    return () => network.close()
  })

  test('are exported with the filter of the list, and with payers where they may be seen', async () => {
    const page = await openConsole(await browser.profile(), network, { at: '/payments?phase=FAILED' })
    const exported = async () => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Export' }).click(),
      ])
      const file = await textOf(await download.createReadStream())
      return { name: download.suggestedFilename(), lines: file.trimEnd().split(/\r?\n/) }
    }
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
    await limited.getByRole('button', { name: 'Export' }).waitFor()
    expect(await limited.getByLabel('With names and e-mail addresses').count()).toBe(0)
  })

  test('are filtered in the address, which can be shared and gone back to', async () => {
    const profile = await browser.profile()
    const page = await openConsole(profile, network, { at: '/payments' })
    await page.getByRole('checkbox', { name: 'Failed' }).check()
    await page.waitForURL('**/console#/payments?phase=FAILED')
    await expect.poll(() => references(page)).toEqual(['order-failed'])
    await page.getByRole('checkbox', { name: 'Succeeded' }).check()
    await page.waitForURL('**/console#/payments?phase=SUCCEEDED%2CFAILED')
    await expect.poll(async () => (await references(page)).length).toBe(20)
    await page.goBack()
    await expect.poll(() => references(page)).toEqual(['order-failed'])
    expect(await page.getByRole('checkbox', { name: 'Succeeded' }).isChecked()).toBe(false)
    await page.reload()
    await expect.poll(() => references(page)).toEqual(['order-failed'])
    await page.getByLabel('Updated before').fill('2020-01-31T12:00')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.waitForURL('**before=2020-01-31T12%3A00%3A00.000Z**')
    await page.getByText('There are no payments here.').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
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

    const events = page.getByRole('list', { name: 'Events' }).getByRole('listitem')
    await events.filter({ hasText: 'in_dispute' }).waitFor()
    await deliveriesOf(page).filter({ hasText: 'in_dispute' }).waitFor()
    expect((await events.allTextContents()).map((text) => text.replace(/^.*?M: /, ''))).toEqual([
      'Link created (by command)',
      'Payment status changed: pending (by webhook)',
      'Payment status changed: pending → authorised (by webhook)',
      'Payment status changed: authorised → waiting (by webhook)',
      'Payment status changed: waiting → received (by webhook)',
      'Payment status changed: received → in_dispute (by webhook)',
    ])
    await expect
      .poll(() => page.locator('svg.timeline .lane').allTextContents())
      .toEqual(['link created', 'pending', 'authorised', 'waiting', 'received', 'in_dispute'])
    await expect.poll(() => page.locator('svg.timeline circle').count()).toBe(6)
    await expect
      .poll(async () => cells(deliveriesOf(page), 2))
      .toEqual(['in_dispute', 'received', 'waiting', 'authorised', 'pending'])
    // One body was delivered three times, and the forged ones were rejected.
    await expect.poll(async () => cells(deliveriesOf(page), 3)).toEqual(['1', '3', '1', '1', '1'])
    expect(await page.getByText('failed').count()).toBe(0)
    expect(await accessibilityFaults(page)).toEqual([])
    await page.setViewportSize({ width: 1280, height: 1000 })
    await keepPicture(page, 'console-payment')
  })

  async function make(reference: string, status: 'received' | 'failed'): Promise<string> {
    const customer = { firstName: 'Grace', lastName: 'Hopper', email: 'grace@example.test' }
    const { id } = await createLink(network, { reference, ...(status === 'failed' ? { customer } : {}) })
    await network.sandbox.control.setStatus(id, status)
    return (await historyOf(network, id)).payment?.id ?? ''
  }
})

function references(page: Page): Promise<string[]> {
  return page.locator('table [data-row]').allTextContents()
}

function deliveriesOf(page: Page) {
  return page.getByRole('region', { name: 'Deliveries' }).locator('tbody tr')
}

/** Returns a column of these rows; columns are counted from 1, after the header cell. */
function cells(rows: ReturnType<typeof deliveriesOf>, column: number): Promise<string[]> {
  return rows.locator(`td:nth-of-type(${column})`).allTextContents()
}

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text as textOf } from 'node:stream/consumers'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { accessibilityFaults, findBrowser, keepPicture } from '../browser/browser.ts'
import { goTo, openConsole } from '../browser/console.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { fillPayments } from '../support/payments-export.ts'
import { historyOf } from '../support/payments.ts'

const browser = await findBrowser()

describe.skipIf(browser.isMissing)('payments in the console', () => {
  let network: Network
  const made = new Map<string, { readonly linkId: string; readonly paymentId: string }>()
  beforeAll(async () => {
    network = await startNetwork()
    for (let index = 0; index < 22; index += 1) await make(`order-${index}`, 'received')
    await make('order-failed', 'failed')
    return () => network.close()
  })

  test('are found by the beginning of a reference, an id, an address, or of what the payer is called', async () => {
    const page = await openConsole(await browser.profile(), network, { at: '/payments' })
    const { linkId, paymentId } = known('order-failed')
    const address = `https://checkout.example/${linkId}`
    // Neighbours are found by different fields: until the next answer the page shows the one before.
    const texts = [
      ['ORDER-FA', 'reference'],
      [linkId, 'link id'],
      [paymentId.slice(0, 10).toLowerCase(), 'payment id'],
      [address, 'link id'],
      ['GRACE', 'payer’s name, payer’s e-mail address'],
      ['hop', 'payer’s name'],
      ['grace@EX', 'payer’s e-mail address'],
    ] as const
    for (const [text, field] of texts) {
      await page.getByLabel('Reference, id, link').fill(text)
      await page.keyboard.press('Enter')
      await page.waitForURL(`**/console#/payments?q=${encodeURIComponent(text)}`)
      await expect.poll(() => page.locator('tbody tr td:last-child').allTextContents()).toEqual([field])
      expect(await references(page)).toEqual(['order-failed'])
    }
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByLabel('Reference, id, link').fill('order-1')
    await page.getByRole('button', { name: 'Search' }).click()
    await expect
      .poll(() => references(page))
      .toEqual([...Array.from({ length: 10 }, (_, n) => `order-${19 - n}`), 'order-1'])
    await page.getByLabel('Reference, id, link').fill('nobody-knows-it')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByText('Nothing begins with “nobody-knows-it”.').waitFor()
    const open = await createLink(network, { reference: 'order-open' })
    await goTo(page, `/payments?q=${open.id}`)
    await expect.poll(() => page.getByText('has no payment yet').textContent()).toContain('order-open')
  })

  test('are not searched by their payers without the right to see them', async () => {
    const scopes = ['payments:read'] as const
    const page = await openConsole(await browser.profile(), network, { scopes, at: '/payments?q=grace' })
    await page.getByText('Nothing begins with “grace”.').waitFor()
    await expect
      .poll(() => page.locator('.unavailable').allTextContents())
      .toEqual(['Names and e-mail addresses: unavailable. The token lacks payments:pii.'])
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
    expect(csv.lines[1]).toContain(`,${known('order-failed').paymentId},order-failed,`)
    await page.getByText('The download has begun.').waitFor()
    await page.getByLabel('File format').selectOption('NDJSON')
    await page.getByLabel('With names and e-mail addresses').check()
    const ndjson = await exported()
    expect(ndjson.name).toMatch(/\.ndjson$/)
    expect(ndjson.lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { payment: { id: known('order-failed').paymentId, payerEmail: expect.stringContaining('@') as string } },
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

  test('are paged forward', async () => {
    const page = await openConsole(await browser.profile(), network, { at: '/payments?phase=SUCCEEDED' })
    await expect.poll(async () => (await references(page)).length).toBe(20)
    const first = await references(page)
    await page.getByRole('link', { name: 'Next page' }).click()
    await expect.poll(async () => (await references(page)).length).toBe(2)
    const second = await references(page)
    expect(new Set([...first, ...second]).size).toBe(22)
    await page.goBack()
    await expect.poll(() => references(page)).toEqual(first)
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('are searched further back where none of the newest is in a phase', async () => {
    const other = await startNetwork()
    onTestFinished(() => other.close())
    const link = await createLink(other, { reference: 'order-old' })
    await other.sandbox.control.setStatus(link.id, 'expired')
    const database = new DatabaseSync(join(other.folder, 'payments.db'))
    // As many as a page looks at.
    await fillPayments((sql) => database.exec(sql), 5_000)
    database.close()
    const page = await openConsole(await browser.profile(), other, { at: '/payments?phase=EXPIRED' })
    await page.getByText('No match among the payments searched so far.').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('link', { name: 'Search older entries' }).click()
    await expect.poll(() => references(page)).toEqual(['order-old'])
    expect(await page.getByRole('link', { name: 'Search older entries' }).count()).toBe(0)
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

  test('that are duplicates wait in a list of their own, until one is refunded or both are kept', async () => {
    const shop = await startNetwork()
    onTestFinished(() => shop.close())
    for (let n = 0; n < 2; n += 1) {
      const { id } = await createLink(shop, { reference: 'order-twice' })
      await shop.sandbox.control.setStatus(id, 'received')
    }
    const page = await openConsole(await browser.profile(), shop, { at: '/payments' })
    await page.getByRole('link', { name: 'Unresolved duplicate payments' }).click()
    await page.waitForURL('**/console#/payments?duplicate=OPEN')
    await expect.poll(() => references(page)).toEqual(['order-twice'])
    await page.getByRole('link', { name: 'order-twice' }).click()
    const notice = page.getByRole('region', { name: 'Duplicate payment' })
    await expect.poll(() => notice.textContent()).toContain('Its order was already paid by order-twice')
    expect(await accessibilityFaults(page)).toEqual([])
    await notice.getByRole('button', { name: 'Refund this payment' }).click()
    await page.getByRole('dialog', { name: 'Refund' }).getByRole('button', { name: 'Close' }).click()
    await notice.getByRole('button', { name: 'Keep both' }).click()
    await expect.poll(() => notice.textContent()).toContain('Both payments are kept.')
    await goTo(page, '/payments?duplicate=OPEN')
    await page.getByText('There are no payments here.').waitFor()
  })

  test('show bodies of deliveries, where the token may see them', async () => {
    const { paymentId } = known('order-5')
    const page = await openConsole(await browser.profile(), network, { at: `/payments/${paymentId}` })
    await deliveriesOf(page).first().getByRole('link').first().click()
    await page.waitForURL('**/console#/deliveries/**')
    await expect.poll(() => page.getByRole('group', { name: 'Body' }).textContent()).toContain('"status": "received"')
    expect(await accessibilityFaults(page)).toEqual([])
    const { hash } = new URL(page.url())
    const without = await openConsole(await browser.profile(), network, {
      scopes: ['payments:read'],
      at: hash.slice(1),
    })
    await expect
      .poll(() => without.locator('.unavailable').allTextContents())
      .toEqual([
        'Bodies: unavailable. The token lacks payments:risk.',
        'Replays: unavailable. The token lacks webhooks:replay.',
      ])
  })

  test('say why they failed', async () => {
    const { paymentId } = known('order-failed')
    const page = await openConsole(await browser.profile(), network, { at: `/payments/${paymentId}` })
    await expect.poll(() => page.locator('.facts').textContent()).toContain('generic_declined')
  })

  async function make(reference: string, status: 'received' | 'failed'): Promise<void> {
    const customer = { firstName: 'Grace', lastName: 'Hopper', email: 'grace@example.test' }
    const { id: linkId } = await createLink(network, { reference, ...(status === 'failed' ? { customer } : {}) })
    await network.sandbox.control.setStatus(linkId, status)
    made.set(reference, { linkId, paymentId: (await historyOf(network, linkId)).payment?.id ?? '' })
  }

  function known(reference: string) {
    const one = made.get(reference)
    if (one === undefined) throw new Error(`There is no ${reference}.`)
    return one
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

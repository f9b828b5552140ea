import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { accessibilityFaults, findBrowser } from '../browser/browser.ts'
import { isLive, openConsole } from '../browser/console.ts'
import { misaddressedDelivery } from '../support/deliveries.ts'
import { asked } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { historyOf } from '../support/payments.ts'

const browser = await findBrowser()
const PAYER = { firstName: 'Ada', lastName: 'Payer' }

describe.skipIf(browser.isMissing)('the console without a mouse', () => {
  let network: Network
  beforeAll(async () => {
    network = await startNetwork({ sandbox: { paceMs: 3_600_000 } })
    for (const reference of ['order-1', 'order-2', 'order-3']) {
      const { id } = await createLink(network, { reference })
      await network.sandbox.control.setStatus(id, 'received')
    }
    return () => network.close()
  })

  test('can be used from the sign-in to a refund', async () => {
    const { open } = await browser.profile()
    const page = await open(`${network.app.url}/console`)
    // The form is there when the session was asked for, which may be after the page has loaded.
    await page.getByLabel('Client token (JWT)').waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.insertText(await network.token())
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()

    await goBy(page, 'p', 'Payments')
    await expect.poll(() => focused(page)).toBe('Payments')
    await page.getByRole('link', { name: 'order-2' }).waitFor()
    await stepTo(page, 'order-2')
    await keys(page, 'j', 'k')
    await expect.poll(() => focused(page)).toBe('order-2')
    await keys(page, 'Enter')
    await page.getByRole('heading', { level: 1, name: 'Payment order-2' }).waitFor()
    await tabTo(page, 'Refund …')
    await keys(page, 'Enter')
    await expect.poll(() => focused(page)).toBe('Refund')
    await keys(page, 'Tab', 'Tab', 'Tab')
    await page.keyboard.insertText('Changed their mind')
    await keys(page, 'Enter')
    await page.getByRole('button', { name: 'Refund 125.50 AUD' }).waitFor()
    await expect.poll(() => focused(page)).toBe('Refund')
    await keys(page, 'Tab', 'Tab', 'Enter')
    await page.getByText('The refund was requested.').waitFor()
    await expect.poll(() => focused(page)).toBe('Refund')
    await keys(page, 'Escape')
    await expect.poll(() => focused(page)).toBe('Refund …')
    expect(asked(network, 'POST', '/v3/payin_links/refund')).toBe(1)
  })

  test('finds why a payment failed', async () => {
    await paid('order-declined', 'failed')
    const page = await openConsole(await browser.profile(), network)
    await find(page, 'order-declined')
    await page.getByRole('heading', { level: 2, name: 'Generic declined' }).waitFor()
    await expect.poll(() => page.locator('.banner.fault').textContent()).toContain('What helps: another method or card')
  })

  test('finds the delivery of a customer who paid and sees nothing, and replays it', async () => {
    const link = await paid('order-unseen', 'failed', { customer: { ...PAYER, email: 'unseen@example.test' } })
    await network.sandbox.control.deliver(link, { kind: 'late', status: 'authorised' })
    const page = await openConsole(await browser.profile(), network)
    await find(page, 'unseen@example.test')
    await page.getByRole('heading', { level: 1, name: 'Payment order-unseen' }).waitFor()
    await tabTo(page, 'Show the delivery')
    await keys(page, 'Enter')
    await tabTo(page, 'Replay …')
    await keys(page, 'Enter')
    await page.getByText('Nothing has been changed yet.').waitFor()
    await tabTo(page, 'Replay the delivery')
    await keys(page, 'Enter')
    await page.getByRole('dialog', { name: 'The delivery was replayed' }).waitFor()
    await keys(page, 'Escape')
    await expect.poll(() => focused(page)).toBe('Replay …')
  })

  test('goes from what needs attention to a dispute, and to a quarantined delivery', async () => {
    await paid('order-disputed', 'in_dispute')
    const { payment } = await historyOf(network, await paid('order-elsewhere', 'received'))
    await misaddressedDelivery(network, payment?.id ?? '')
    const page = await openConsole(await browser.profile(), network)
    for (const [row, title] of [
      ['A customer disputes a payment', 'The customer disputes this payment'],
      ['A webhook is quarantined', 'The body is about another subject than the webhook URL.'],
    ] as const) {
      await goBy(page, 'v', 'Overview')
      await page.getByText(row).waitFor()
      await stepTo(page, row)
      await keys(page, 'Enter')
      await expect.poll(() => page.locator('.banner').first().textContent()).toContain(title)
    }
  })

  /** Creates a link that has this status, and returns its id. */
  async function paid(reference: string, status: 'failed' | 'received' | 'in_dispute', over = {}): Promise<string> {
    const { id } = await createLink(network, { reference, ...over })
    await network.sandbox.control.setStatus(id, status)
    return id
  }

  test('is gone around in by single keys', async () => {
    const page = await openConsole(await browser.profile(), network)
    for (const [key, title] of VIEWS) {
      await goBy(page, key, title)
    }
    await keys(page, '/')
    await page.getByRole('heading', { level: 1, name: 'Payments' }).waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('q')
    // Keys typed into a field are not commands.
    await page.keyboard.type('gfj?')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await expect.poll(() => page.getByLabel('Reference, id, link').inputValue()).toBe('gfj?')
  })

  test('tells its keys, and can do without them', async () => {
    const page = await openConsole(await browser.profile(), network, { at: '/methods' })
    await page.locator('.keys-link').focus()
    await keys(page, '?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    // Keys have no effect on the view behind a dialog.
    await keys(page, 'g', 'p')
    expect(page.url()).toContain('#/methods')
    await keys(page, 'Tab', 'Tab', 'Space', 'Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    await expect.poll(() => focused(page)).toBe('Keys?')
    await keys(page, 'g', 'p', '?')
    expect(page.url()).toContain('#/methods')
    expect(await page.getByRole('dialog').count()).toBe(0)
  })

  test('begins with a way to skip what is on every view', async () => {
    const page = await openConsole(await browser.profile(), network)
    await page.reload()
    await isLive(page)
    await page.evaluate(() => document.querySelector('h1')?.blur())
    await page.getByRole('link', { name: 'Skip to the content' }).focus()
    await keys(page, 'Enter')
    await expect.poll(() => focused(page)).toBe('Overview')
  })
})

const VIEWS = [
  ['v', 'Overview'],
  ['a', 'Agreements'],
  ['d', 'Webhooks'],
  ['l', 'Links'],
  ['p', 'Payments'],
  ['m', 'Methods'],
  ['f', 'Live events'],
  ['b', 'Accounts'],
  ['h', 'Health'],
] as const

async function keys(page: Page, ...pressed: readonly string[]): Promise<void> {
  for (const key of pressed) await page.keyboard.press(key)
}

/** Goes to a view by its keys. They are pressed again where a busy machine took longer between them than the console waits. */
async function goBy(page: Page, key: string, title: string): Promise<void> {
  const heading = async () => {
    await keys(page, 'g', key)
    return page.getByRole('heading', { level: 1 }).textContent()
  }
  await expect.poll(heading).toBe(title)
}

/** Opens what the palette finds first. */
async function find(page: Page, text: string): Promise<void> {
  await keys(page, 'Control+k')
  await page.keyboard.type(text)
  await page.getByRole('group', { name: 'Payments' }).getByRole('option').first().waitFor()
  await keys(page, 'Enter')
}

/** Presses j until a row with this text has the focus. Throws after 20 presses. */
async function stepTo(page: Page, text: string): Promise<void> {
  for (let times = 0; times < 20; times += 1) {
    await keys(page, 'j')
    const row = await page.evaluate(() => document.activeElement?.closest('li, tr')?.textContent)
    if (row?.includes(text) === true) return
  }
  throw new Error(`The key j does not lead to ${text}.`)
}

/** Presses Tab until the element with this text has the focus. Throws after 60 presses. */
async function tabTo(page: Page, text: string): Promise<void> {
  for (let times = 0; times < 60; times += 1) {
    if ((await focused(page)) === text) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not lead to ${text}.`)
}

function focused(page: Page): Promise<string | undefined> {
  return page.evaluate(() => document.activeElement?.textContent?.trim())
}

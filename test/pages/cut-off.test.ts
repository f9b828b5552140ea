import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { findBrowser } from '../browser/browser.ts'
import { goTo, openConsole, VIEWS } from '../browser/console.ts'
import { placeOrder } from '../browser/shop.ts'
import { createAgreement } from '../support/agreements.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink, type CreatedLink } from '../support/operations.ts'
import { textsCutOff } from './cut-off.ts'
import { visit } from './sandbox-visit.ts'

const browser = await findBrowser()

/** A phone, a laptop and a large screen. */
const WIDTHS = [390, 1280, 2560] as const
const HEIGHT = 900

/** Returns the texts that are cut off at each of the widths; nothing for a width with none. */
async function cutOffAtEveryWidth(page: Page, what: string): Promise<unknown[]> {
  const faults: unknown[] = []
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT })
    const texts = await textsCutOff(page)
    if (texts.length > 0) faults.push({ what, width, texts })
  }
  return faults
}

describe.skipIf(browser.isMissing)('a text of a page, on a phone, a laptop and a large screen', () => {
  let network: Network
  let link: CreatedLink
  let paymentId: string
  beforeAll(async () => {
    network = await startNetwork()
    link = await createLink(network, {
      reference: 'order-with-a-reference-that-is-as-long-as-merchants-make-them-2026-11-25-000123',
      description: 'Two tickets for the concert of the year, with a seat in the first row and a programme',
    })
    for (const status of ['pending', 'authorised', 'received', 'partially_refunded'] as const)
      await network.sandbox.control.setStatus(link.id, status)
    await createAgreement(network)
    paymentId = network.sandbox.control.state().links[0]?.paymentUuid ?? ''
    return () => network.close()
  })

  test('is whole in every view of the console, and in that of a payment', async () => {
    const page = await openConsole(await browser.profile(), network)
    const faults: unknown[] = []
    for (const [at, title] of VIEWS) {
      await goTo(page, at)
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
      await page.waitForLoadState('networkidle')
      faults.push(...(await cutOffAtEveryWidth(page, title)))
    }
    expect(faults).toEqual([])
    await page.setViewportSize({ width: WIDTHS[0], height: HEIGHT })
    // A table that does not scroll by itself would be found.
    await goTo(page, '/deliveries')
    await page.getByRole('link', { name: 'Needs attention' }).waitFor()
    await page.getByRole('row').nth(1).waitFor()
    await page.locator('.table-wrap').evaluate((table) => {
      table.style.overflow = 'hidden'
      ;(table.firstElementChild as HTMLElement).style.inlineSize = '60rem'
    })
    expect(await textsCutOff(page)).not.toEqual([])
    for (const at of ['/feed', '/payments', '/links', '/agreements']) {
      await goTo(page, at)
      const amount = await page.locator('tbody td.number, .feed .amount').first().boundingBox()
      expect([at, (amount?.x ?? 0) + (amount?.width ?? Infinity)]).toEqual([
        at,
        expect.toSatisfy((x) => x <= WIDTHS[0]),
      ])
    }
    for (const [at, text] of [
      [`/payments/${paymentId}`, 'Partly refunded'],
      [`/links/${link.id}`, link.id],
    ] as const) {
      await goTo(page, at)
      await page.getByText(text).first().waitFor()
      await page.waitForLoadState('networkidle')
      faults.push(...(await cutOffAtEveryWidth(page, at)))
    }
    await page.locator('.who').click()
    faults.push(...(await cutOffAtEveryWidth(page, 'the menu of the user')))
    expect(faults).toEqual([])
  })

  test('is whole in the shop, on the page of an order, and on the payment page', async () => {
    const { open } = await browser.profile()
    const page = await open(`${network.app.url}/shop`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    const faults = await cutOffAtEveryWidth(page, 'the basket')
    await placeOrder(page, { currency: 'JPY' })
    faults.push(...(await cutOffAtEveryWidth(page, 'the order')))
    const checkout = await open(link.checkoutUrl)
    await checkout.getByRole('heading', { level: 1 }).waitFor()
    faults.push(...(await cutOffAtEveryWidth(checkout, 'the payment page')))
    expect(faults).toEqual([])
  })

  test('is whole in every section of the sandbox', async () => {
    const { open } = await browser.profile()
    const page = await open(network.sandbox.origin)
    const faults: unknown[] = []
    for (const section of ['Links', 'Payins', 'Webhooks', 'Calls', 'Faults', 'Magic values', 'Access']) {
      await visit(page, section)
      faults.push(...(await cutOffAtEveryWidth(page, section)))
    }
    expect(faults).toEqual([])
  })
})

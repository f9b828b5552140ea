import { beforeAll, describe, expect, test } from 'vitest'
import { findBrowser } from '../browser/browser.ts'
import { goTo, openConsole } from '../browser/console.ts'
import { HEADLINES, placeAndClose, showsHeadline } from '../browser/shop.ts'
import { translate } from '../browser/translated.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { historyOf } from '../support/payments.ts'
import { rowOf } from './sandbox-visit.ts'

const browser = await findBrowser()

describe.skipIf(browser.isMissing)('while the browser translates it', () => {
  let network: Network
  beforeAll(async () => {
    network = await startNetwork()
    return () => network.close()
  })

  test.each(['replaced', 'moved'] as const)('the shop tells the state of an order: texts are %s', async (mode) => {
    const { open } = await browser.profile()
    const page = await open(`${network.app.url}/shop`)
    await placeAndClose(page)
    await translate(page, mode)
    const linkId = /link=([^&]+)/.exec(page.url())?.[1] ?? ''
    for (const [status, headline] of [
      ['pending', 'started'],
      ['received', 'paid'],
      ['return_received', 'refunded'],
    ] as const) {
      await network.sandbox.control.setStatus(linkId, status)
      await showsHeadline(page, headline)
      await expect.poll(() => page.locator('.headline').allTextContents()).toEqual([`»${HEADLINES[headline]}`])
    }
    await page.getByRole('button', { name: 'Back to the shop' }).click()
    await page.getByText('Stoneware cup').waitFor()
    expect(await page.locator('.headline').count()).toBe(0)
    await page.getByLabel('Language').selectOption('ja')
    await expect.poll(() => page.locator('h1').allTextContents()).toEqual(['»お支払い方法を選んでください'])
    expect(await page.locator('main').textContent()).not.toContain('Choose on the payment page')
  })

  test('the console tells the state of a payment', async () => {
    const { id } = await createLink(network)
    await network.sandbox.control.setStatus(id, 'pending')
    const paymentId = (await historyOf(network, id)).payment?.id
    const page = await openConsole(await browser.profile(), network, { at: `/payments/${paymentId}` })
    const status = page.locator('dt', { hasText: /Status$/ }).locator('+ dd')
    await status.filter({ hasText: 'pending' }).waitFor()
    await translate(page)
    await network.sandbox.control.setStatus(id, 'received')
    await expect.poll(() => status.allTextContents()).toEqual(['»received'])
    await goTo(page, '/payments')
    await expect.poll(() => page.locator('h1').allTextContents()).toEqual(['»Payments'])
  })

  test("the sandbox's page tells the state of a link", async () => {
    const { open } = await browser.profile()
    const { id } = await createLink(network)
    const page = await open(network.sandbox.origin)
    await rowOf(page, id).waitFor()
    await translate(page)
    await network.sandbox.control.setStatus(id, 'received')
    await expect.poll(() => rowOf(page, id).textContent()).toContain('»Received')
    await page.getByRole('navigation').getByRole('link', { name: 'Webhooks' }).click()
    await page.getByRole('heading', { level: 1, name: '»Webhooks' }).waitFor()
  })
})

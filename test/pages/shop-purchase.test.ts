import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { accessibilityFaults, findBrowser, keepPicture } from '../browser/browser.ts'
import { openDrawer, openPopup, PAY, placeOrder, sequencesIn, showsHeadline } from '../browser/shop.ts'
import { startNetwork, type Network } from '../support/network.ts'

const browser = await findBrowser()

describe.skipIf(browser.isMissing)('a purchase', () => {
  let network: Network
  beforeAll(async () => {
    network = await startNetwork({ sandbox: { paceMs: 50 } })
    return () => network.close()
  })
  const shop = () => `${network.app.url}/shop`

  test('in a popup ends in received, with every event once', async () => {
    const { open } = await browser.profile()
    const page = await open(shop())
    await page.getByLabel('Quantity of Stoneware cup').fill('2')
    await page.getByText('A$66.50').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await keepPicture(page, 'shop-basket')
    await placeOrder(page, { method: 'au_card_aud' })
    expect(await accessibilityFaults(page)).toEqual([])
    await openDrawer(page)
    const popup = await openPopup(page)
    await page.getByText('Finish the payment in the window that has opened.').waitFor()
    await popup.getByRole('button', { name: 'Pay', exact: true }).click()
    await showsHeadline(page, 'paid')
    await expect.poll(() => sequencesIn(page)).toEqual([2, 3, 4, 5])
    await expect
      .poll(() => page.getByRole('listitem').filter({ hasText: 'Done' }).getAttribute('aria-current'))
      .toBe('step')
    await popup.getByText('The payment was received.').waitFor()
    await popup.getByText('You are taken back in a few seconds.').waitFor()
    await popup.waitForEvent('close')
    expect(await accessibilityFaults(page)).toEqual([])
    await keepPicture(page, 'shop-status')

    await page.getByRole('button', { name: 'Back to the shop' }).click()
    await expect.poll(() => page.getByLabel('Quantity of Stoneware cup').inputValue()).toBe('0')
  })

  test('in the same window comes back to the order, which no address tells the server of', async () => {
    const { open, context } = await browser.profile()
    const asked: string[] = []
    context.on('request', (request) => asked.push(request.url()))
    const page = await open(shop())
    await placeOrder(page)
    const token = /token=([^&]+)/.exec(page.url())?.[1]
    expect(token).toMatch(/^st1\./)
    await page.getByRole('button', { name: 'Pay in this window' }).click()
    await page.getByRole('button', { name: 'Pay', exact: true }).click()
    await page.getByText('The payment was received.').waitFor()
    await showsHeadline(page, 'paid')
    expect(page.url()).toContain(`token=${token}`)
    expect(asked.filter((url) => url.replace(/#.*/, '').includes(String(token)))).toEqual([])
  })

  test('needs a keyboard and nothing else', async () => {
    const { open } = await browser.profile()
    const page = await open(shop())
    await tabTo(page, page.getByLabel('Currency'))
    await page.keyboard.type('JPY')
    await tabTo(page, page.getByLabel('Quantity of Coffee beans, 250 g'))
    await page.keyboard.press('ArrowUp')
    await page.getByText('Total ¥3,600').waitFor()
    await page.getByRole('radio', { name: /^Card/ }).waitFor()
    await tabTo(page, page.getByRole('radio', { name: 'Choose on the payment page' }))
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => page.getByRole('radio', { name: /^Card/ }).isChecked()).toBe(true)
    await tabTo(page, page.getByRole('button', { name: 'Continue to payment' }))
    await page.keyboard.press('Enter')
    await showsHeadline(page, 'ready')
    expect(await isFocused(page.getByRole('heading', { name: 'Your order' }))).toBe(true)

    await tabTo(page, page.getByRole('button', { name: PAY }))
    const [popup] = await Promise.all([page.waitForEvent('popup'), page.keyboard.press('Space')])
    await popup.waitForLoadState()
    await tabTo(popup, popup.getByRole('button', { name: 'Pay', exact: true }))
    await popup.keyboard.press('Enter')
    await popup.waitForEvent('close')
    await showsHeadline(page, 'paid')
  })
})

/** Presses Tab until the target has the focus. Throws after 40 presses. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses < 40; presses++) {
    if (await isFocused(target)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`The keyboard does not reach ${target.toString()}`)
}

function isFocused(target: Locator): Promise<boolean> {
  return target.evaluate((element) => element === document.activeElement)
}

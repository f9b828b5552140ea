import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { accessibilityFaults, findBrowser, GONE, keepPicture } from '../browser/browser.ts'
import { add, isLive, openDrawer, PAY, placeOrder, sequencesIn, showsHeadline } from '../browser/shop.ts'
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
    await add(page, 'Stoneware cup')
    await add(page, 'Stoneware cup')
    await page.getByRole('button', { name: 'Pay A$66.50' }).waitFor()
    await page.locator('input[value=au_card_aud]').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await keepPicture(page, 'shop-basket')
    const popup = await placeOrder(page, { method: 'au_card_aud' })
    expect(await accessibilityFaults(page)).toEqual([])
    await openDrawer(page)
    await page.getByText('Finish the payment in the window that has opened.').waitFor()
    await popup.getByRole('button', { name: PAY }).click()
    await showsHeadline(page, 'paid')
    await expect.poll(() => sequencesIn(page)).toEqual([2, 3, 4, 5])
    expect(await page.locator('.steps .done').count()).toBe(4)
    await popup.getByText('The payment was received.').waitFor()
    await popup.getByText('You are taken back in a few seconds.').waitFor()
    await popup.waitForEvent('close')
    expect(await accessibilityFaults(page)).toEqual([])
    await keepPicture(page, 'shop-status')

    await page.getByRole('button', { name: 'Back to the shop' }).click()
    await page.getByRole('button', { name: 'Add Stoneware cup' }).waitFor()
  })

  test('in the same window comes back to the order, which no address tells the server of', async () => {
    const { open, context } = await browser.profile({ viewport: { width: 390, height: 844 } })
    const asked: string[] = []
    context.on('request', (request) => asked.push(request.url()))
    const page = await open(shop())
    await page.getByRole('button', { name: PAY }).click()
    await page.waitForURL('**/checkout/**')
    await page.getByRole('button', { name: PAY }).click()
    await page.getByText('The payment was received.').waitFor()
    await showsHeadline(page, 'paid')
    const token = /token=([^&]+)/.exec(page.url())?.[1]
    expect(token).toMatch(/^st1\./)
    expect(asked.filter((url) => url.replace(/#.*/, '').includes(String(token)))).toEqual([])
  })
})

/** The six ways through a checkout, with a keyboard and nothing else. */
describe.skipIf(browser.isMissing)('a purchase by keyboard', () => {
  let network: Network
  beforeAll(async () => {
    network = await startNetwork({ sandbox: { paceMs: 50 } })
    return () => network.close()
  })

  /** Orders for JPY 3,600 by card, and returns the shop and its payment page. */
  async function order(options: Parameters<typeof browser.profile>[0] = {}) {
    const { open, context } = await browser.profile(options)
    const page = await open(`${network.app.url}/shop`)
    await tabTo(page, page.getByRole('button', { name: 'One more' }))
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByLabel('Currency'))
    await page.keyboard.type('JPY')
    await page.getByRole('radio', { name: /^Card/ }).waitFor()
    await tabTo(page, page.getByRole('radio', { checked: true }))
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => page.getByRole('radio', { name: /^Card/ }).isChecked()).toBe(true)
    await tabTo(page, page.getByRole('button', { name: 'Pay ¥3,600' }))
    const [popup] = await Promise.all([page.waitForEvent('popup'), page.keyboard.press('Enter')])
    await popup.waitForURL('**/checkout/**')
    expect(await isFocused(page.locator('h1'))).toBe(true)
    return { page, popup, context }
  }
  const press = async (page: Page, name: string | RegExp) => {
    await tabTo(page, page.getByRole('button', { name }))
    await page.keyboard.press('Enter').catch(() => {})
  }

  test('is paid', async () => {
    const { page, popup } = await order()
    await press(popup, PAY)
    await showsHeadline(page, 'paid')
    expect(await isFollowed(page)).toBe(true)
  })

  test('fails, and is paid in another try', async () => {
    const { page, popup } = await order()
    await press(popup, 'Decline')
    await popup.getByText('The payment failed.').waitFor()
    await press(popup, 'Done')
    await showsHeadline(page, 'failed')
    await tabTo(page, page.getByRole('button', { name: 'Pay again' }))
    const [again] = await Promise.all([page.waitForEvent('popup'), page.keyboard.press('Enter')])
    await press(again, 'Pay again')
    await showsHeadline(page, 'paid')
    expect(await isFollowed(page)).toBe(true)
  })

  test('expires, and gets a new link', async () => {
    const { page, popup } = await order()
    await press(popup, 'Let it expire')
    await showsHeadline(page, 'expired')
    await press(page, 'Get a new link')
    await showsHeadline(page, 'ready')
    expect(await isFollowed(page)).toBe(true)
  })

  test('is closed and come back to', async () => {
    const { page, popup } = await order()
    await popup.close()
    const address = page.url()
    await page.goto('about:blank')
    await page.goto(address)
    await showsHeadline(page, 'ready')
    await tabTo(page, page.getByRole('button', { name: PAY }))
    const [again] = await Promise.all([page.waitForEvent('popup'), page.keyboard.press('Enter')])
    await again.waitForURL('**/checkout/**')
    await press(again, PAY)
    await showsHeadline(page, 'paid')
    expect(await isFollowed(page)).toBe(true)
  })

  test('goes on after the server was restarted', async () => {
    const { page, popup } = await order({ expectedErrors: [GONE] })
    await network.restart()
    await press(popup, PAY)
    await showsHeadline(page, 'paid')
    expect(await isFollowed(page)).toBe(true)
  })

  test('goes on after the network was away', async () => {
    const { page, popup, context } = await order({ expectedErrors: [/ERR_INTERNET_DISCONNECTED/, GONE] })
    await context.setOffline(true)
    await page.locator('[data-connection=offline]').waitFor()
    await context.setOffline(false)
    await press(popup, PAY)
    await showsHeadline(page, 'paid')
    expect(await isFollowed(page)).toBe(true)
  })
})

/** Whether the page of the order follows it. */
async function isFollowed(page: Page): Promise<boolean> {
  await isLive(page)
  return page.url().includes('order=')
}

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

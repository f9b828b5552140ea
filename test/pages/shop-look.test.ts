import { beforeAll, describe, expect, test } from 'vitest'
import { accessibilityFaults, findBrowser, keepPicture } from '../browser/browser.ts'
import { actionsIn, openDrawer, openPopup, placeOrder, showsHeadline } from '../browser/shop.ts'
import { startNetwork, type Network } from '../support/network.ts'

const browser = await findBrowser()

describe.skipIf(browser.isMissing)('the shop', () => {
  let network: Network
  beforeAll(async () => {
    // Longer than the checks take: a code is scanned after twenty times this, to which a test advances the sandbox's clock.
    network = await startNetwork({ sandbox: { paceMs: 10_000 } })
    return () => network.close()
  })
  const shop = () => `${network.app.url}/shop`

  test('shows a code to scan where the customer looks, and what it says', async () => {
    const { open } = await browser.profile()
    const page = await open(shop())
    await placeOrder(page, { currency: 'VND', method: 'vn_vietqr_vnd' })
    const popup = await openPopup(page)
    await popup.getByRole('button', { name: 'Pay', exact: true }).click()
    const instruction = 'Scan this code with your banking app or wallet.'
    await popup.getByRole('status').filter({ hasText: instruction }).waitFor()
    await popup.getByRole('img', { name: /^QR code for a payment of 295000 VND/ }).waitFor()
    await expect.poll(() => popup.getByLabel('Content of the code').inputValue()).toMatch(/^000201.*295000/)
    expect(await accessibilityFaults(popup)).toEqual([])
    await showsHeadline(page, 'started')
    await page.getByText('Finish the payment in the window that has opened.').waitFor()
    expect(await page.getByRole('img').count()).toBe(0)
    await expect.poll(() => page.locator('.facts').textContent()).toContain('Way to payVietQR')
    expect(await page.getByText('Paid with').count()).toBe(0)

    await popup.close()
    await page.getByRole('heading', { name: 'Scan to pay' }).waitFor()
    await page.getByRole('img', { name: /^QR code for a payment of ₫295,000/ }).waitFor()
    const content = page.getByLabel('Content of the code')
    await expect.poll(() => content.inputValue()).toMatch(/^000201.*295000/)
    await expect.poll(() => content.getAttribute('readonly')).not.toBeNull()
    expect(await page.getByText('Finish the payment').count()).toBe(0)
    expect(await actionsIn(page)).toEqual(['Show the payment page'])
    expect(await accessibilityFaults(page)).toEqual([])
    await keepPicture(page, 'shop-qr')
    await network.sandbox.control.advance(200)
    await showsHeadline(page, 'paid')
    expect(await page.getByRole('img').count()).toBe(0)
    await page.getByText('Paid with').waitFor()
  })

  test('speaks Japanese where the browser does, and what went wrong as well', async () => {
    const { open } = await browser.profile({ locale: 'ja-JP' })
    const page = await open(shop())
    await page.getByRole('heading', { name: 'カートの中身' }).waitFor()
    await expect.poll(() => page.getAttribute('html', 'lang')).toBe('ja')
    expect(await page.title()).toBe('カートの中身 · ハーバーコーヒー')
    await page.getByLabel('通貨').selectOption('JPY')
    await page.getByText('合計 ￥1,800').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'お支払いへ進む' }).click()
    await page.getByText('お支払いの準備ができました。').waitFor()
    expect(await page.title()).toBe('ご注文 · ハーバーコーヒー')
    await openDrawer(page)
    await page.getByRole('button', { name: 'Decline', exact: true }).click()
    await page.getByText('お支払いが完了しませんでした。').waitFor()
    const message = page.locator('.headline + p')
    await expect.poll(() => message.textContent()).toMatch(/\p{Script=Hiragana}/u)
    expect(await accessibilityFaults(page)).toEqual([])

    await page.getByLabel('言語').selectOption('en')
    await showsHeadline(page, 'failed')
    await expect.poll(() => message.textContent()).toMatch(/^[\p{ASCII}’]+$/u)
    await page.reload()
    await showsHeadline(page, 'failed')
    const before = page.url()
    await page.goto(shop())
    await placeOrder(page, { currency: 'JPY' })
    expect(page.url()).not.toBe(before)
  })

  test('reads out each change, and nothing else', async () => {
    const { open } = await browser.profile()
    const page = await open(shop())
    await placeOrder(page)
    await expect.poll(() => page.getByRole('status').allTextContents()).toEqual(['Your order is ready to be paid.'])
    await expect.poll(() => page.getByRole('timer').textContent()).toMatch(/^(?:30|29):\d\d$/)
  })
})

import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { accessibilityFaults, findBrowser, keepPicture } from '../browser/browser.ts'
import { actionsIn, openDrawer, openPopup, PAY, placeAndClose, placeOrder, showsHeadline } from '../browser/shop.ts'
import { MEASURE_VITALS } from '../browser/vitals.ts'
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
    const { open, context } = await browser.profile()
    const page = await open(shop())
    const popup = await placeOrder(page, { currency: 'VND', method: 'vn_vietqr_vnd' })
    await popup.getByRole('button', { name: PAY }).click()
    const instruction = 'Scan this code with your banking app or wallet.'
    await popup.getByRole('status').filter({ hasText: instruction }).waitFor()
    await popup.getByRole('img', { name: /^QR code for a payment of 295,000 VND/ }).waitFor()
    expect(await accessibilityFaults(popup)).toEqual([])
    await showsHeadline(page, 'started')
    await page.getByText('Finish the payment in the window that has opened.').waitFor()
    expect(await page.getByRole('img').count()).toBe(0)
    await expect.poll(() => page.locator('.receipt').textContent()).toContain('Way to payVietQR')
    expect(await page.getByText('Paid with').count()).toBe(0)

    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await popup.close()
    await page.getByRole('heading', { name: 'Scan to pay ₫295,000' }).waitFor()
    await page.getByRole('img', { name: /^QR code for a payment of ₫295,000/ }).waitFor()
    await page.getByRole('button', { name: 'Copy the code' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^000201.*295000/)
    const saved = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Save the picture' }).click()
    expect((await saved).suggestedFilename()).toMatch(/\.png$/)
    expect(await page.getByText('Finish the payment').count()).toBe(0)
    expect(await actionsIn(page)).toEqual(['Copied', 'Continue the payment', 'Choose another way to pay'])
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
    await page.getByRole('heading', { name: 'お支払い方法を選んでください' }).waitFor()
    await expect.poll(() => page.getAttribute('html', 'lang')).toBe('ja')
    expect(await page.title()).toBe('お会計 · Harbour Coffee')
    await page.getByLabel('通貨').selectOption('JPY')
    expect(await accessibilityFaults(page)).toEqual([])
    const popup = await openPopup(page, '￥1,800を支払う')
    await popup.close()
    await page.getByText('お支払いの準備ができました。').waitFor()
    expect(await page.title()).toBe('ご注文 · Harbour Coffee')
    await openDrawer(page)
    await page.getByRole('button', { name: 'Decline', exact: true }).click()
    await page.getByText('お支払いが完了しませんでした。').waitFor()
    const message = page.locator('.headline + p')
    await expect.poll(() => message.textContent()).toMatch(/\p{Script=Hiragana}.*請求は発生していません。$/u)
    expect(await accessibilityFaults(page)).toEqual([])

    await page.getByLabel('言語').selectOption('en')
    await showsHeadline(page, 'failed')
    await expect.poll(() => message.textContent()).toMatch(/^[\p{ASCII}’]+ Nothing was charged\.$/u)
    await page.getByLabel('Language').selectOption('ko')
    await expect.poll(() => message.textContent()).toMatch(/^은행이 결제를 승인하지 않았습니다. 청구된/u)
    await page.reload()
    await page.getByText('결제가 완료되지 않았습니다.').waitFor()
  })

  test('reads out each change, and nothing else', async () => {
    const { open } = await browser.profile()
    const page = await open(shop())
    await placeAndClose(page)
    await expect
      .poll(() => page.getByRole('status').allTextContents())
      .toEqual(['Your order is ready to be paid.This page updates by itself.'])
    expect(await page.locator('[role=status] [role=timer], [aria-live] [role=timer]').count()).toBe(0)
    await expect.poll(() => page.getByRole('timer').textContent()).toMatch(/^(?:30|29):\d\d$/)
  })

  test('moves little, and has room for a finger on a phone', async () => {
    const { open, context } = await browser.profile({ viewport: { width: 390, height: 844 }, hasTouch: true })
    await context.addInitScript(MEASURE_VITALS)
    const page = await open(shop())
    await page.locator('input[value=au_card_aud]').waitFor()
    expect(await smallTargets(page)).toEqual([])
    await page.getByText('Order summary').click()
    expect(await smallTargets(page)).toEqual([])
    const bar = page.getByRole('button', { name: PAY })
    expect((await bar.boundingBox())?.width).toBeGreaterThan(340)
    await bar.tap()
    await page.waitForURL('**/checkout/**')
    expect(await smallTargets(page)).toEqual([])
    await page.goBack()
    await showsHeadline(page, 'ready')
    expect(await smallTargets(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    expect(await page.evaluate('vitals.shift')).toBeLessThan(0.05)
  })

  test('moves little on a wide screen, where a code takes the place of the window that was closed', async () => {
    const { open, context } = await browser.profile({ viewport: { width: 1280, height: 800 } })
    await context.addInitScript(MEASURE_VITALS)
    const page = await open(shop())
    const popup = await placeOrder(page, { currency: 'VND', method: 'vn_vietqr_vnd' })
    await popup.getByRole('button', { name: PAY }).click()
    await showsHeadline(page, 'started')
    await popup.close()
    await page.getByRole('img', { name: /^QR code/ }).waitFor()
    // Observers are called after the frame.
    await page.evaluate(
      'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))',
    )
    const shift = await page.evaluate('vitals.shift')
    expect(shift).toBeGreaterThan(0.01)
    expect(shift).toBeLessThan(0.05)
  })
})

/** Returns the controls of a page that are smaller than 44 pixels, apart from those of developers. A radio button is as large as its label. */
function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('a, button, select, summary, label.method, input:not([type=radio])')]
      .filter((element) => element.closest('.dev') === null)
      .filter((element) => {
        const { width, height } = element.getBoundingClientRect()
        return width > 0 && (width < 44 || height < 44)
      })
      .map((element) => element.outerHTML.slice(0, 100)),
  )
}

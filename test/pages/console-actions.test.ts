import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { accessibilityFaults, findBrowser } from '../browser/browser.ts'
import { openConsole, openFilter } from '../browser/console.ts'
import { NO_ANSWER } from '../support/agreements.ts'
import { doubtfulDelivery } from '../support/deliveries.ts'
import { asked } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { readPayment } from '../support/payins.ts'
import { historyOf } from '../support/payments.ts'

const browser = await findBrowser()
const REFUNDS = '/v3/payin_links/refund'

describe.skipIf(browser.isMissing)('what an operator does in the console', () => {
  let network: Network
  beforeAll(async () => {
    network = await startNetwork({ sandbox: { ...NO_ANSWER, paceMs: 3_600_000 } })
    return () => network.close()
  })
  beforeEach(() => network.sandbox.control.clearFaults())

  test('refunds a part, after a second look, once, however often the button is pressed', async () => {
    const { page, paymentId, before } = await refundOf('order-part')
    await page.getByLabel('A partial amount').check()
    await page.getByLabel('Amount in AUD').fill('125.501')
    await page.getByLabel('Reason').fill('Changed their mind')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('The amount must have at most 2 decimals in AUD.').waitFor()
    await page.getByLabel('Amount in AUD').fill('125.51')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText(/No more than 125.50 AUD is left/).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByLabel('Amount in AUD').fill('25.50')
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect.poll(() => page.getByRole('dialog').textContent()).toMatch(/25\.50.*order-part/)
    expect(await accessibilityFaults(page)).toEqual([])
    expect(asked(network, 'POST', REFUNDS)).toBe(before)
    await page.getByRole('button', { name: 'Refund 25.50 AUD' }).evaluate((button) => {
      for (let times = 0; times < 3; times += 1) (button as HTMLButtonElement).click()
    })
    await page.getByText('The refund was requested.').waitFor()
    expect(asked(network, 'POST', REFUNDS)).toBe(before + 1)
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Close', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Refund pending' }).waitFor()
    expect(await readPayment(network, paymentId)).toMatchObject({ status: 'RETURN_PENDING' })
    const timeline = page.getByRole('list', { name: 'Timeline' }).getByRole('listitem')
    await timeline.filter({ hasText: /Refund of 25\.50 AUD pending.*“Changed their mind”/ }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    // The button that opened the dialog stays, with the reason why nothing can be refunded now.
    await page.getByText('Nothing can be refunded while the status is return_pending.').waitFor()
    const button = page.getByRole('button', { name: 'Refund …' })
    expect(await button.getAttribute('aria-disabled')).toBe('true')
    await expect.poll(() => focused(page)).toBe('Refund …')
  })

  test('asks again with the same key when an answer was lost, even after a reload', async () => {
    const { page, before } = await refundOf('order-lost', [/ERR_FAILED/])
    await page.getByLabel('Reason').fill('Delivered too late')
    await page.getByRole('button', { name: 'Continue' }).click()
    // The refund is made, but the page does not receive the answer.
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('refundPayment') !== true) return route.fallback()
      await route.fetch()
      return route.abort()
    })
    await page.getByRole('button', { name: 'Refund 125.50 AUD' }).click()
    await page.getByText('its outcome is unknown').waitFor()
    await page.unroute('**/graphql')
    await page.reload()
    await page.getByRole('button', { name: 'Refund …' }).click()
    await page.getByText('its outcome is unknown').waitFor()
    await page.getByRole('button', { name: 'Retry with the same key' }).click()
    await page.getByText('The refund had already been requested.').waitFor()
    expect(asked(network, 'POST', REFUNDS)).toBe(before + 1)
  })

  test('replays a doubtful delivery, first to see what would come of it', async () => {
    const { paymentId } = await doubtfulDelivery(network)
    const page = await openConsole(await browser.profile(), network, { at: '/deliveries' })
    await openFilter(page, 'Disposition')
    await page.getByRole('checkbox', { name: 'Doubtful' }).check()
    await page.keyboard.press('Escape')
    await page.getByRole('row').filter({ hasText: paymentId }).getByRole('link').first().click()
    await page.getByRole('button', { name: 'Replay …' }).click()
    await page.getByText('Nothing has been changed yet. The replay would change:').waitFor()
    await expect.poll(() => page.getByRole('dialog').locator('.facts').textContent()).toContain('is read at once')
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Replay the delivery' }).click()
    await page.getByRole('dialog', { name: 'The delivery was replayed' }).waitFor()
    await page.getByRole('button', { name: 'Close', exact: true }).click()
    await page.getByRole('button', { name: 'Replay …' }).waitFor()
    await expect.poll(() => focused(page)).toBe('Replay …')
  })

  async function refundOf(reference: string, expectedErrors: RegExp[] = []) {
    const { id } = await createLink(network, { reference })
    await network.sandbox.control.setStatus(id, 'received')
    const paymentId = (await historyOf(network, id)).payment?.id ?? ''
    const page = await openConsole(await browser.profile({ expectedErrors }), network, { at: `/payments/${paymentId}` })
    await page.getByRole('button', { name: 'Refund …' }).click()
    return { page, paymentId, before: asked(network, 'POST', REFUNDS) }
  }
})

/** Returns the text of the focused element. */
function focused(page: Page): Promise<string | null | undefined> {
  return page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => resolve(document.activeElement?.textContent))),
  )
}

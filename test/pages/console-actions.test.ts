import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { accessibilityFaults, findBrowser } from '../browser/browser.ts'
import { openConsole } from '../browser/console.ts'
import { createAgreement, NO_ANSWER, readAgreement } from '../support/agreements.ts'
import { doubtfulDelivery, misaddressedDelivery } from '../support/deliveries.ts'
import { setGatewayStatus } from '../support/gateway-payments.ts'
import { asked } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { readPayment } from '../support/payins.ts'
import { historyOf } from '../support/payments.ts'
import { settleCreation, unansweredCreation } from '../support/unanswered.ts'

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
    await page.getByText(/No more than .+125.50 is left/).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByLabel('Amount in AUD').fill('25.50')
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect.poll(() => page.getByRole('dialog').textContent()).toMatch(/25\.50.*order-part/)
    expect(await accessibilityFaults(page)).toEqual([])
    expect(asked(network, 'POST', REFUNDS)).toBe(before)
    await page.getByRole('button', { name: /^Refund A?\$25.50/ }).evaluate((button) => {
      for (let times = 0; times < 3; times += 1) (button as HTMLButtonElement).click()
    })
    await page.getByText('The refund was requested.').waitFor()
    expect(asked(network, 'POST', REFUNDS)).toBe(before + 1)
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Close' }).click()
    await page.locator('.facts').getByText('return_pending').waitFor()
    expect(await readPayment(network, paymentId)).toMatchObject({ status: 'RETURN_PENDING' })
    const history = page.getByRole('list', { name: 'Events' }).getByRole('listitem')
    await history.filter({ hasText: /, refund of A?\$25\.50 pending/ }).waitFor()
    const listed = page.getByRole('list', { name: 'Refunds' }).getByRole('listitem')
    await expect
      .poll(() => listed.allTextContents())
      .toEqual([expect.stringMatching(/^Pending .*25\.50.*, requested here/)])
    expect(await accessibilityFaults(page)).toEqual([])
    // The button that opened the dialog is gone, because nothing can be refunded now: the focus goes to the heading.
    await page.getByText('Nothing can be refunded while the status is return_pending.').waitFor()
    expect(await page.getByRole('button', { name: 'Refund …' }).count()).toBe(0)
    await expect.poll(() => focused(page)).toBe('Payment order-part')
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
    await page.getByRole('button', { name: /^Refund A?\$125.50/ }).click()
    await page.getByText('its outcome is unknown').waitFor()
    await page.unroute('**/graphql')
    await page.reload()
    await page.getByRole('button', { name: 'Refund …' }).click()
    await page.getByText('its outcome is unknown').waitFor()
    await page.getByRole('button', { name: 'Retry with the same key' }).click()
    await page.getByText('The refund had already been requested.').waitFor()
    expect(asked(network, 'POST', REFUNDS)).toBe(before + 1)
  })

  test('reads what the payments API says against a refund', async () => {
    const { page } = await refundOf('order-refused')
    network.sandbox.control.addFault({
      method: 'POST',
      path: REFUNDS,
      answer: { status: 422, body: { errors: { amount: ['is more than the balance'] } } },
    })
    await page.getByLabel('Reason').fill('Broken on arrival')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: /^Refund A?\$125.50/ }).click()
    await page.getByText('The refund failed.').waitFor()
    await expect
      .poll(() => page.getByRole('alert').filter({ hasText: 'UPSTREAM_REJECTED' }).textContent())
      .toContain('amount')
    expect(await accessibilityFaults(page)).toEqual([])
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  })

  test('reconciles a payment that changed without a word', async () => {
    const { linkId, page } = await paymentPage('order-silent', 'pending')
    await page.getByRole('button', { name: 'Reconcile now' }).click()
    await page.getByText('The payments API was read: nothing had changed.').waitFor()
    await network.sandbox.control.setStatus(linkId, 'received', { silent: true })
    await page.getByRole('button', { name: 'Reconcile now' }).click()
    await page.getByText('The payments API was read, and something had changed.').waitFor()
    const events = page.getByRole('list', { name: 'Events' })
    await expect.poll(() => events.getByText('pending → received (by read)').count()).toBe(1)
    network.sandbox.control.addFault({ times: 20, answer: { status: 503 } })
    await page.getByRole('button', { name: 'Reconcile now' }).click()
    await page.getByRole('alert').filter({ hasText: 'UPSTREAM_UNAVAILABLE' }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('settles gateway payments of which no answer came', async () => {
    const lost = await unansweredCreation(network, { arrives: false })
    const made = await unansweredCreation(network, { arrives: true })
    const page = await openConsole(await browser.profile(), network, { at: '/gateway-payments' })
    const form = (orderId: string) => page.getByRole('form', { name: `Order ${orderId}` })
    await form(lost.orderId).getByText('99.95').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await form(lost.orderId)
      .getByRole('radio', { name: /It does not exist/ })
      .check()
    await form(lost.orderId).getByRole('button', { name: 'Record' }).click()
    await expect.poll(() => form(lost.orderId).count()).toBe(0)
    await form(made.orderId).getByRole('radio', { name: 'It exists' }).check()
    await form(made.orderId).getByLabel('with the id').fill('no number')
    await form(made.orderId).getByRole('button', { name: 'Record' }).click()
    await form(made.orderId).getByRole('alert').getByText('paymentId').waitFor()
    await form(made.orderId).getByLabel('with the id').fill(String(made.paymentId))
    await form(made.orderId).getByRole('button', { name: 'Record' }).click()
    await expect.poll(() => form(made.orderId).count()).toBe(0)
    // The operator's word about another payment is overruled, and that is shown.
    const wrong = await unansweredCreation(network, { arrives: true })
    await settleCreation(network, { operationId: wrong.operationId, outcome: 'NOT_CREATED' })
    for (const status of ['failed', 'pending'] as const)
      await setGatewayStatus(network, String(wrong.paymentId), status)
    await page.getByRole('link', { name: wrong.orderId }).click()
    await page.getByText('(in doubt) (overrules an operator)').waitFor()
    await page.getByRole('term').filter({ hasText: 'Contradicted by' }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('suspends, resumes and cancels an agreement', async () => {
    const { id, serviceId, clientTransactionId } = await createAgreement(network)
    await network.sandbox.control.setAgreementStatus(serviceId, 'active')
    const page = await openConsole(await browser.profile(), network, { at: '/agreements' })
    await page.getByRole('checkbox', { name: 'Active' }).check()
    await page.getByRole('link', { name: clientTransactionId }).click()
    for (const [name, status] of [
      ['Suspend', 'SUSPENDED'],
      ['Resume', 'ACTIVE'],
      ['Cancel', 'CANCELLED'],
    ] as const) {
      await page.getByRole('button', { name: `${name} …` }).click()
      expect(await accessibilityFaults(page)).toEqual([])
      await page.getByRole('button', { name: `${name} it` }).click()
      await page.getByText('It was asked for.').waitFor()
      expect(await readAgreement(network, id)).toMatchObject({ status })
      await page.getByRole('button', { name: 'Close' }).click()
    }
    await page.getByText('It can no longer be changed.').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('decides a doubtful delivery anew, first to see what would come of it', async () => {
    const { paymentId } = await doubtfulDelivery(network)
    const page = await openConsole(await browser.profile(), network, { at: '/deliveries' })
    await page.getByRole('checkbox', { name: 'Doubtful' }).check()
    await page.getByRole('row').filter({ hasText: paymentId }).getByRole('link').first().click()
    await page.getByRole('button', { name: 'Replay …' }).click()
    await page.getByText('Nothing has changed yet. Applying the delivery would change:').waitFor()
    await expect.poll(() => page.getByRole('dialog').locator('.facts').textContent()).toContain('is read, and decides')
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('The delivery was applied.').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Replay …' }).waitFor()
    await expect.poll(() => focused(page)).toBe('Replay …')
  })

  test('is told why a delivery in quarantine is not decided anew', async () => {
    const { paymentId } = await paymentPage('order-quarantine', 'received')
    const deliveryId = await misaddressedDelivery(network, paymentId)
    const page = await openConsole(await browser.profile(), network, { at: '/deliveries' })
    await page.getByRole('link', { name: 'Deliveries that need attention' }).click()
    const row = page.getByRole('row').filter({ hasText: paymentId }).filter({ hasText: 'Quarantined' })
    await expect.poll(() => row.textContent()).toContain('The body is about another subject than the webhook URL.')
    await expect.poll(() => row.textContent()).toContain('Reconcile the payment of the webhook URL')
    expect(await accessibilityFaults(page)).toEqual([])
    await row.getByRole('link').first().click()
    await page.waitForURL(`**/console#/deliveries/${deliveryId}`)
    await expect
      .poll(() => page.locator('.facts').textContent())
      .toContain('The body is about another subject than the webhook URL.')
    await page.getByRole('button', { name: 'Replay …' }).click()
    await expect.poll(() => page.getByRole('dialog').getByRole('alert').textContent()).toContain('MISADDRESSED')
    expect(await page.getByRole('button', { name: 'Apply' }).count()).toBe(0)
  })

  test('sees which scopes the actions need', async () => {
    const { paymentId } = await paymentPage('order-read', 'received')
    const page = await openConsole(await browser.profile(), network, {
      scopes: ['payments:read'],
      at: `/payments/${paymentId}`,
    })
    await page.getByRole('button', { name: 'Reconcile now' }).waitFor()
    await expect
      .poll(() => page.locator('.unavailable').allTextContents())
      .toEqual(['Refunds: unavailable. The token lacks payments:refund.'])
  })

  async function paymentPage(reference: string, status: 'pending' | 'received', expectedErrors: RegExp[] = []) {
    const { id: linkId } = await createLink(network, { reference })
    await network.sandbox.control.setStatus(linkId, status)
    const paymentId = (await historyOf(network, linkId)).payment?.id ?? ''
    const page = await openConsole(await browser.profile({ expectedErrors }), network, { at: `/payments/${paymentId}` })
    return { page, linkId, paymentId }
  }

  async function refundOf(reference: string, expectedErrors: RegExp[] = []) {
    const opened = await paymentPage(reference, 'received', expectedErrors)
    await opened.page.getByRole('button', { name: 'Refund …' }).click()
    return { ...opened, before: asked(network, 'POST', REFUNDS) }
  }
})

/** Returns the text of the focused element. */
function focused(page: Page): Promise<string | null | undefined> {
  return page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => resolve(document.activeElement?.textContent))),
  )
}

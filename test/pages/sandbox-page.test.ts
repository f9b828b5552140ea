import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { accessibilityFaults, findBrowser, keepPicture } from '../browser/browser.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { historyOf } from '../support/payments.ts'
import { notice, rowOf, visit } from './sandbox-visit.ts'

const browser = await findBrowser()

/** Opens the dialog of a link and returns it. */
async function change(page: Page, id: string) {
  await page.getByRole('button', { name: `Change link ${id}` }).click()
  return page.getByRole('dialog', { name: `Change link ${id}` })
}

/** Returns the failures of an operation that always calls the payments API. */
async function balances(network: Network): Promise<readonly unknown[]> {
  const { data } = await network.ask('{ accountBalances(currencies: ["AUD"]) { failures { code } } }')
  return (data as { accountBalances: { failures: unknown[] } }).accountBalances.failures
}

describe.skipIf(browser.isMissing)("the sandbox's page", () => {
  let network: Network
  beforeAll(async () => {
    network = await startNetwork()
    return () => network.close()
  })

  test('shows a link as it is made, sets its status, and the application learns it', async () => {
    const { open } = await browser.profile()
    const page = await open(network.sandbox.origin)
    await page.getByText('Live').waitFor()
    const { id } = await createLink(network, { description: 'Made live' })
    await rowOf(page, id).filter({ hasText: 'Made live' }).filter({ hasText: '125.5 AUD' }).waitFor()
    await keepPicture(page, 'sandbox-links')

    const dialog = await change(page, id)
    await dialog.getByLabel('Status', { exact: true }).selectOption('received')
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Set status' }).click()
    await notice(page, `${id} is received.`)
    await rowOf(page, id).filter({ hasText: 'received' }).waitFor()
    expect(await historyOf(network, id)).toMatchObject({ state: 'PAID', payment: { status: 'RECEIVED' } })
    // The focus returns to the button that opened the dialog.
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe(`Change link ${id}`)
  })

  test('shows the actions of links beside all else at 1280 pixels', async () => {
    const { open } = await browser.profile({ viewport: { width: 1280, height: 900 } })
    const { id } = await createLink(network, { reference: randomUUID(), description: '1 × Coffee beans, 250 g' })
    await network.sandbox.control.setStatus(id, 'failed', { errorCode: 'customer_canceled' })
    const page = await open(network.sandbox.origin)
    await rowOf(page, id).filter({ hasText: 'customer_canceled' }).waitFor()
    const hidden = await page.locator('.scroll').evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
    expect(hidden).toBe(0)
  })

  test('sets a failure with its code, silently, and an amount paid back', async () => {
    const { open } = await browser.profile()
    const { id } = await createLink(network)
    const page = await open(network.sandbox.origin)
    const failing = await change(page, id)
    await failing.getByLabel('Status', { exact: true }).selectOption('failed')
    await failing.getByLabel('Failure code').selectOption('card_lost')
    await failing.getByLabel('Silent: send no webhook').check()
    await failing.getByRole('button', { name: 'Set status' }).click()
    await rowOf(page, id).filter({ hasText: 'failed (card_lost)' }).waitFor()
    expect((await historyOf(network, id)).payment).toBeNull()

    const refunding = await change(page, id)
    await refunding.getByLabel('Status', { exact: true }).selectOption('partially_refunded')
    await refunding.getByLabel('Total refunded').fill('25.5')
    await refunding.getByRole('button', { name: 'Set status' }).click()
    await visit(page, 'Refunds and deposits')
    await rowOf(page, id).filter({ hasText: 'partially_refunded' }).filter({ hasText: '25.5 AUD' }).waitFor()
  })

  test('sends a webhook again, and badly, and shows both answers', async () => {
    const { open } = await browser.profile()
    const { id } = await createLink(network)
    await network.sandbox.control.setStatus(id, 'received')
    const page = await open(`${network.sandbox.origin}/sandbox#webhooks`)
    const row = rowOf(page, id)
    await row.getByRole('button', { name: /^Resend/ }).click()
    await notice(page, /was sent again: 200\.$/)
    await row.getByRole('listitem').nth(1).waitFor()
    await expect
      .poll(() => row.getByRole('listitem').allTextContents())
      .toEqual([expect.stringMatching(/^200, \d+ ms$/), expect.stringMatching(/^200, \d+ ms, resent$/)])
    await keepPicture(page, 'sandbox-webhooks')

    await row.getByRole('button', { name: /^Look/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Resend' }).click()
    await dialog.getByRole('status').filter({ hasText: 'sent again: 200' }).waitFor()
    await dialog.getByRole('row').filter({ hasText: 'manually' }).nth(1).waitFor()
    await dialog.getByText(`"status":"received"`).waitFor()
    await dialog.getByText(/^[0-9a-f]{64}$/).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })

    await visit(page, 'Links')
    const delivering = await change(page, id)
    await delivering.getByLabel('Fault').selectOption('forged')
    await delivering.getByRole('button', { name: 'Deliver' }).click()
    await notice(page, 'Delivered, and answered: 401.')
  })

  test('moves the clock, and links end', async () => {
    const { open } = await browser.profile()
    const { id } = await createLink(network)
    const page = await open(`${network.sandbox.origin}/sandbox#clock`)
    const before = network.sandbox.clock.now().getTime()
    await page.getByRole('button', { name: 'Advance by 1 hour' }).click()
    await notice(page, /The clock is at/)
    await page.getByRole('spinbutton', { name: 'Advance by' }).fill('2')
    await page.getByLabel('Unit').selectOption('days')
    await page.getByRole('button', { name: 'Advance', exact: true }).click()
    const expected = before + 3_600_000 + 2 * 86_400_000
    await expect.poll(() => network.sandbox.clock.now().getTime()).toBeGreaterThanOrEqual(expected)
    await visit(page, 'Links')
    await rowOf(page, id).filter({ hasText: 'expired' }).waitFor()
  })

  test('has the interface fail, and work again', async () => {
    const { open } = await browser.profile()
    const page = await open(`${network.sandbox.origin}/sandbox#faults`)
    onTestFinished(() => network.sandbox.control.clearFaults())
    await page.getByText('No faults: every call').waitFor()
    await page.getByLabel('Path').fill('/v2/balances/*')
    await page.getByLabel('Times').fill('100')
    await page.getByRole('button', { name: 'Add fault' }).click()
    await rowOf(page, 'an answer of 503').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    expect(await balances(network)).toEqual([{ code: 'UPSTREAM_UNAVAILABLE' }])
    await visit(page, 'Calls')
    await page.getByRole('cell', { name: '503, by a fault' }).first().waitFor()
    await visit(page, 'Faults')
    await page.getByRole('button', { name: 'Clear all faults' }).click()
    await page.getByText('No faults: every call').waitFor()
    expect(await balances(network)).toEqual([])

    await page.getByLabel('Path').fill('/v2/balances/*')
    await page.getByLabel('Effect').selectOption('hang')
    await page.getByRole('button', { name: 'Add fault' }).click()
    await rowOf(page, 'hang').waitFor()
    expect(network.sandbox.control.faults()).toMatchObject([{ path: '/v2/balances/*', left: 1, answer: 'hang' }])
    await page.getByRole('button', { name: 'Clear all faults' }).click()
    await notice(page, 'All faults were cleared.')
  })

  test('can be used with the keyboard alone', async () => {
    const { open } = await browser.profile()
    const { id } = await createLink(network)
    const page = await open(network.sandbox.origin)
    await rowOf(page, id).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('content')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    await dialog.getByLabel('Status', { exact: true }).focus()
    await page.keyboard.type('auth')
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Set status' }).focus()
    await page.keyboard.press('Enter')
    await notice(page, `${id} is authorised.`)
  })

  test('finds by id and reference, and opens the hosted page', async () => {
    const { context, open } = await browser.profile()
    const wanted = await createLink(network, { description: 'An order to be found' })
    const other = await createLink(network)
    const page = await open(network.sandbox.origin)
    await rowOf(page, other.id).waitFor()
    await page.getByLabel('Search').fill('TO BE found')
    await rowOf(page, other.id).waitFor({ state: 'detached' })
    const [hosted] = await Promise.all([
      context.waitForEvent('page'),
      rowOf(page, wanted.id)
        .getByRole('link', { name: /^Open page/ })
        .click(),
    ])
    await hosted.waitForURL(`**/checkout/${wanted.id}`)
    await page.getByLabel('Search').fill('nobody has this')
    await page.getByText('No links with “nobody has this” in it.').waitFor()
    expect(await page.getByRole('table').count()).toBe(0)
  })
})

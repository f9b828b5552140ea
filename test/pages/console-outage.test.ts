import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { accessibilityFaults, findBrowser, GONE } from '../browser/browser.ts'
import { openConsole } from '../browser/console.ts'
import { createAgreement, NO_ANSWER } from '../support/agreements.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { historyOf } from '../support/payments.ts'

const browser = await findBrowser()
const UNREACHABLE = 'The server cannot be reached.'
/** Milliseconds between two reads of a view without an event. */
const REGULAR_READ_MS = 10_000

describe.skipIf(browser.isMissing)('the views of the console', () => {
  let network: Network
  let linkId: string
  let paymentId: string
  let agreementId: string
  beforeAll(async () => {
    network = await startNetwork({ sandbox: NO_ANSWER })
    linkId = await paid('order-first')
    paymentId = (await historyOf(network, linkId)).payment?.id ?? ''
    const agreement = await createAgreement(network, { clientTransactionId: 'mandate-first' })
    agreementId = agreement.id
    await network.sandbox.control.setAgreementStatus(agreement.serviceId, 'active')
    return () => network.close()
  })

  test('keep what they had over an outage, with its age, and recover by themselves', async () => {
    const profile = await browser.profile({ expectedErrors: [GONE] })
    const views: [view: string, shown: string][] = [
      ['/payments', 'order-first'],
      ['/links', 'order-first'],
      ['/agreements', 'mandate-first'],
      ['/deliveries', 'Applied'],
      ['/accounts', 'done'],
      ['/methods', 'au_card_aud'],
      ['/health', 'Available'],
      [`/payments/${paymentId}`, 'Applied'],
      [`/links/${linkId}`, 'Paid'],
      [`/agreements/${agreementId}`, 'Applied'],
    ]
    const pages: [page: Page, shown: string][] = []
    for (const [at, shown] of views) {
      const page = await openConsole(profile, network, { at })
      await page.getByRole('main').getByText(shown).first().waitFor()
      pages.push([page, shown])
    }
    await network.stop()
    for (const [page, shown] of pages) {
      await page.getByText(UNREACHABLE).first().waitFor()
      await expect.poll(() => page.getByRole('main').getByText(shown).count()).toBeGreaterThan(0)
      await expect
        .poll(() => page.locator('.notice').first().textContent())
        .toMatch(/was read \d+ (s|min|ms) ago, at .*read again/)
      expect(await page.getByText(/There are no/).count()).toBe(0)
    }
    expect(await accessibilityFaults(pages[0]?.[0] as Page)).toEqual([])
    await network.restart()
    for (const [page, shown] of pages) {
      await expect.poll(() => page.getByText(UNREACHABLE).count()).toBe(0)
      await expect.poll(() => page.getByRole('main').getByText(shown).count()).toBeGreaterThan(0)
    }
  })

  test('do not claim that a list is empty when a filter was changed in an outage', async () => {
    // Another test disputes the first one.
    await paid('order-settled')
    const page = await openConsole(await browser.profile({ expectedErrors: [GONE] }), network, { at: '/payments' })
    await page.getByRole('link', { name: 'order-settled' }).waitFor()
    await page.route('**/graphql', (route) => route.abort('connectionrefused'))
    await page.getByRole('checkbox', { name: 'Succeeded' }).check()
    await page.getByText(UNREACHABLE).waitFor()
    expect(await page.getByText(/There are no payments/).count()).toBe(0)
    expect(await page.getByRole('link', { name: 'order-settled' }).count()).toBe(0)
    await page.unroute('**/graphql')
    await page.getByRole('link', { name: 'order-settled' }).waitFor()
    await expect.poll(() => page.getByText(UNREACHABLE).count()).toBe(0)
  })

  test('keep what they had when the server answers with an error', async () => {
    const page = await openConsole(await browser.profile({ expectedErrors: [GONE] }), network, { at: '/health' })
    await page.getByText('Available').first().waitFor()
    await page.route('**/graphql', (route) =>
      route.fulfill({
        json: {
          data: { paymentsHealth: null },
          errors: [
            { message: 'It took too long.', path: ['paymentsHealth'], extensions: { code: 'OPERATION_TIMEOUT' } },
          ],
        },
      }),
    )
    await page.getByText('It took too long. (OPERATION_TIMEOUT)').waitFor()
    await expect.poll(() => page.getByText('Available').count()).toBeGreaterThan(0)
    await page.unroute('**/graphql')
    await expect.poll(() => page.getByText('It took too long.').count()).toBe(0)
  })

  test('are live: a list shows what is made while it is open', async () => {
    const profile = await browser.profile({ expectedErrors: [GONE] })
    await profile.context.addInitScript(withholdRegularReads, REGULAR_READ_MS)
    const payments = await openConsole(profile, network, { at: '/payments' })
    const links = await openConsole(profile, network, { at: '/links' })
    const agreements = await openConsole(profile, network, { at: '/agreements' })
    const deliveries = await openConsole(profile, network, { at: '/deliveries' })
    const detail = await openConsole(profile, network, { at: `/links/${linkId}` })
    await detail
      .getByRole('list', { name: 'Events' })
      .getByText(/received/)
      .waitFor()
    const before = await deliveries.locator('[data-row]').count()
    await payments.locator('[data-row]').first().waitFor()
    await paid('order-second')
    await createAgreement(network, { clientTransactionId: 'mandate-second' })
    await network.sandbox.control.setStatus(linkId, 'in_dispute')
    await payments.getByRole('link', { name: 'order-second' }).waitFor()
    await links.getByRole('link', { name: 'order-second' }).waitFor()
    await agreements.getByRole('link', { name: 'mandate-second' }).waitFor()
    await expect.poll(() => deliveries.locator('[data-row]').count()).toBeGreaterThan(before)
    await detail
      .getByRole('list', { name: 'Events' })
      .getByText(/in_dispute/)
      .waitFor()
    for (const page of [payments, links, agreements, deliveries, detail])
      expect(await page.evaluate(() => document.documentElement.dataset['withheld'])).toBeDefined()
  })

  async function paid(reference: string): Promise<string> {
    const { id } = await createLink(network, { reference })
    await network.sandbox.control.setStatus(id, 'received')
    return id
  }
})

/**
 * Has the timers of one length find a hidden page, which does not read, and notes in the document that there was one. The views still
 * learn that the time is over: while it runs, they leave a read that is due earlier than theirs to it.
 */
function withholdRegularReads(length: number): void {
  const plan = window.setTimeout.bind(window)
  const inHiding = (run: () => void) => () => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: 'hidden' })
    run()
    Reflect.deleteProperty(document, 'visibilityState')
  }
  const withhold = (run: () => void, ms?: number): number => {
    if (ms !== length) return plan(run, ms)
    document.documentElement.dataset['withheld'] = String(ms)
    return plan(inHiding(run), ms)
  }
  window.setTimeout = withhold as typeof window.setTimeout
}

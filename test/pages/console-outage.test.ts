import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { accessibilityFaults, findBrowser, GONE } from '../browser/browser.ts'
import { goTo, openConsole } from '../browser/console.ts'
import { createAgreement, NO_ANSWER } from '../support/agreements.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { historyOf } from '../support/payments.ts'

const browser = await findBrowser()
const UNREACHABLE = 'The server cannot be reached.'

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
      [`/payments/${paymentId}`, 'Received'],
      [`/links/${linkId}`, 'Paid'],
      [`/agreements/${agreementId}`, 'Applied'],
    ]
    const pages: [page: Page, shown: string][] = []
    for (const [at, shown] of views) {
      const page = await openConsole(profile, network, { at })
      await page.getByRole('main').getByText(shown).filter({ visible: true }).first().waitFor()
      pages.push([page, shown])
    }
    await network.stop()
    for (const [page, shown] of pages) {
      await page.getByText(UNREACHABLE).first().waitFor()
      await expect.poll(() => page.getByRole('main').getByText(shown).count()).toBeGreaterThan(0)
      await expect.poll(() => page.locator('.stale').textContent()).toMatch(/As of \d\d:\d\d:\d\d/)
      expect(await page.getByText(/There are no/).count()).toBe(0)
    }
    expect(await accessibilityFaults(pages[0]?.[0] as Page)).toEqual([])
    await network.restart()
    for (const [page, shown] of pages) {
      await expect.poll(() => page.getByText(UNREACHABLE).count()).toBe(0)
      await expect.poll(() => page.getByRole('main').getByText(shown).count()).toBeGreaterThan(0)
    }
  })

  test('say by themselves, once on each, that every call to the payments API fails', async () => {
    const page = await openConsole(await browser.profile(), network, { at: '/health' })
    await page.getByText('Everything works').waitFor()
    network.sandbox.control.addFault({ times: 10_000, answer: { status: 503 } })
    for (let times = 0; times < 3; times += 1) await network.ask('{ accountBalances { nodes { site } } }')
    await page.getByRole('heading', { name: 'The payments API fails for every site' }).waitFor()
    await page.getByText(/^(\d+) of \1 sites down$/).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    for (const at of ['/accounts', '/payments', '/deliveries', `/payments/${paymentId}`]) {
      await goTo(page, at)
      await page.getByRole('region', { name: 'Outage' }).waitFor()
      expect([at, await page.locator('.banner.fault').count()]).toEqual([at, 1])
    }
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    network.sandbox.control.clearFaults()
    await network.ask('{ accountBalances { nodes { site } } }')
    await page.getByRole('region', { name: 'Outage' }).waitFor({ state: 'detached' })
  })

  async function paid(reference: string): Promise<string> {
    const { id } = await createLink(network, { reference })
    await network.sandbox.control.setStatus(id, 'received')
    return id
  }
})

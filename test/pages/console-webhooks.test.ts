import { beforeAll, describe, expect, test } from 'vitest'
import { accessibilityFaults, findBrowser } from '../browser/browser.ts'
import { goTo, openConsole } from '../browser/console.ts'
import { doubtfulDelivery, misaddressedDelivery } from '../support/deliveries.ts'
import { payoutInput } from '../support/inputs.ts'
import { made, mutate } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { historyOf } from '../support/payments.ts'

const browser = await findBrowser()

describe.skipIf(browser.isMissing)('the webhooks of the console', () => {
  let network: Network
  let paymentId: string
  let linkId: string
  beforeAll(async () => {
    network = await startNetwork({ sandbox: { paceMs: 3_600_000 } })
    linkId = (await createLink(network, { reference: 'order-hook' })).id
    for (const status of ['pending', 'received'] as const) await network.sandbox.control.setStatus(linkId, status)
    paymentId = (await historyOf(network, linkId)).payment?.id ?? ''
    return () => network.close()
  })

  test('tell of one what it changed, by which signature, and why another was set aside', async () => {
    await misaddressedDelivery(network, paymentId)
    const page = await openConsole(await browser.profile(), network, { at: '/deliveries' })
    await page
      .getByRole('row', { name: /Applied.*order-hook.*received/ })
      .getByRole('link')
      .first()
      .click()
    await page.getByRole('heading', { level: 1, name: 'Received Applied' }).waitFor()
    expect(await page.getByRole('row', { name: /^Status/ }).textContent()).toBe('Statuspendingreceived')
    expect(await page.getByRole('row', { name: /^Paid/ }).textContent()).toMatch(/125\.50 AUD$/)
    expect(await page.getByRole('region', { name: 'Headers' }).textContent()).toMatch(/SignatureValid.*Key [0-9a-f]{8}/)
    await goTo(page, '/deliveries?attention=YES')
    const row = page.getByRole('row', { name: /Quarantined.*order-hook/ })
    expect(await row.textContent()).toContain('about another subject than the webhook URL')
    await row.getByRole('link').first().click()
    await page.getByText('It is never replayed').waitFor()
    expect(await page.getByRole('button', { name: 'Replay …' }).getAttribute('aria-disabled')).toBe('true')
    expect(await accessibilityFaults(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await accessibilityFaults(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  })

  test('lead to a payout by its name, and are filtered by kind', async () => {
    const payout = await made(mutate(network, 'createPayout', payoutInput({ reference: 'pay-run-2' })), 'payout')
    await network.sandbox.control.setPayoutStatus(payout.id, 'processing')
    const page = await openConsole(await browser.profile(), network, { at: '/deliveries?kind=PAYOUT' })
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
    await page.getByRole('link', { name: 'pay-run-2' }).click()
    await page.getByRole('heading', { level: 1, name: /pay-run-2/ }).waitFor()
  })

  test('are replayed together, after a plan that counts them', async () => {
    await doubtfulDelivery(network)
    const page = await openConsole(await browser.profile(), network, { at: '/deliveries?disposition=DOUBTFUL' })
    await page.getByRole('button', { name: 'Replay several …' }).click()
    await page.getByRole('heading', { level: 1, name: 'Plan: replay 1 delivery' }).waitFor()
    await page.getByRole('row', { name: /^order-.*Doubtful/ }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Replay 1 delivery' }).click()
    await page.getByRole('heading', { level: 1, name: 'Replayed 1 delivery' }).waitFor()
  })

  test('count those that were refused, by reason', async () => {
    await network.sandbox.control.deliver(linkId, { kind: 'forged', status: 'failed' })
    const page = await openConsole(await browser.profile(), network, { at: '/deliveries' })
    await page.getByRole('link', { name: /^Refused/ }).click()
    await page.getByRole('row', { name: /^Wrong signature 1 / }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
  })
})

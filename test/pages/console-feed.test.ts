import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { accessibilityFaults, findBrowser, GONE, keepPicture } from '../browser/browser.ts'
import { isLive, openConsole } from '../browser/console.ts'
import { NO_ANSWER } from '../support/agreements.ts'
import { payoutInput } from '../support/inputs.ts'
import { made, mutate } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'

const browser = await findBrowser()

describe.skipIf(browser.isMissing)('the feed of the console', () => {
  let network: Network
  beforeAll(async () => {
    network = await startNetwork({ sandbox: { ...NO_ANSWER, paceMs: 3_600_000 } })
    return () => network.close()
  })

  const live = async (options: Parameters<typeof openConsole>[2] = {}) => {
    const page = await openConsole(await browser.profile({ expectedErrors: [GONE] }), network, {
      at: '/feed',
      ...options,
    })
    await isLive(page)
    // New events wait while the pointer is on the list.
    await page.mouse.move(0, 0)
    return page
  }

  test('shows a payment as it is made, by its subject, and leads to it', async () => {
    const page = await live()
    const { id } = await paid('order-live')
    await rowOf(page, 'order-live').getByText('Received').first().waitFor()
    expect(await texts(page, 'order-live')).toEqual(LIFE)
    expect(await accessibilityFaults(page)).toEqual([])
    await keepPicture(page, 'console-feed')
    // What happens while the subject is open waits, and moves nothing.
    await paid('order-later')
    const pill = page.getByRole('button', { name: '5 new events' })
    await pill.waitFor()
    expect(await rowOf(page, 'order-later').count()).toBe(0)
    await pill.click()
    await rowOf(page, 'order-later').getByText('Received').first().waitFor()
    await rowOf(page, 'order-live').getByRole('link', { name: 'Open the link' }).click()
    await page.getByRole('heading', { level: 1, name: 'Link order-live' }).waitFor()
    expect(page.url()).toContain(`#/links/${id}`)
    await page.goBack()
    await rowOf(page, 'order-live').locator('summary').click()
    await rowOf(page, 'order-live').getByRole('link', { name: 'Open the payment' }).click()
    await page.getByRole('heading', { level: 1, name: 'Payment order-live' }).waitFor()
  })

  test('names a payout that it learns of, holds back what happens while it is paused, and filters by kind', async () => {
    const page = await live({ at: '/feed' })
    const payout = await made(mutate(network, 'createPayout', payoutInput({ reference: 'pay-run-1' })), 'payout')
    await rowOf(page, 'pay-run-1').getByText('Payout').waitFor()
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    await network.sandbox.control.setPayoutStatus(payout.id, 'processing')
    await page.getByRole('button', { name: '1 new event' }).waitFor()
    expect(await rowOf(page, 'pay-run-1').getByText('Processing').count()).toBe(0)
    await page.keyboard.press('Space')
    await rowOf(page, 'pay-run-1').getByText('Processing').first().waitFor()
    await page.getByRole('button', { name: /^Payouts \d/ }).click()
    await expect.poll(() => page.locator('.feed > li').count()).toBe(1)
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await accessibilityFaults(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    await rowOf(page, 'pay-run-1').locator('summary').click()
    await page.getByRole('link', { name: 'Open the payout pay-run-1' }).click()
    await expect.poll(() => page.url()).toContain(`#/payouts/${payout.id}`)
  })

  test('goes on over a reload and a restart of the server, without a hole or a repeat', async () => {
    const page = await live()
    await paid('order-before')
    await rowOf(page, 'order-before').getByText('Received').first().waitFor()
    await page.goto('about:blank')
    await paid('order-meanwhile')
    await page.goBack()
    await rowOf(page, 'order-meanwhile').getByText('Received').first().waitFor()
    await isLive(page)
    await network.restart()
    await paid('order-after')
    await rowOf(page, 'order-after').getByText('Received').first().waitFor()
    for (const reference of ['order-before', 'order-meanwhile', 'order-after'])
      expect(await texts(page, reference)).toEqual(LIFE)
    expect(await numbers(page)).toEqual(await recorded(await numbers(page)))
  })

  /** Creates a link and sets its payment to `received`. */
  async function paid(reference: string): Promise<{ readonly id: string }> {
    const link = await createLink(network, { reference })
    for (const status of ['pending', 'authorised', 'waiting', 'received'] as const)
      await network.sandbox.control.setStatus(link.id, status)
    await network.sandbox.settle()
    return link
  }

  /** Returns the ids of the newest events of the log, oldest first, as many as `ids` has. */
  async function recorded(ids: readonly string[]): Promise<string[]> {
    const { data } = await network.ask<{ paymentEvents: { nodes: { id: string }[] } }>(
      '{ paymentEvents(first: 100) { nodes { id } } }',
    )
    const all = data.paymentEvents.nodes.map(({ id }) => id).toReversed()
    return all.slice(0, ids.length)
  }
})

/** A payment's events as its row shows them, newest first. */
const LIFE = [
  'Waiting for funds to Received',
  'Authorised to Waiting for funds',
  'Pending to Authorised',
  'Pending',
  'Link created',
]

function rowOf(page: Page, reference: string) {
  return page.locator('.feed > li', { hasText: reference })
}

/** Opens a subject, and returns its events. */
async function texts(page: Page, reference: string): Promise<string[]> {
  await rowOf(page, reference).locator('summary').click()
  const titles = rowOf(page, reference).locator('.timeline .title')
  await titles.first().waitFor()
  return (await titles.allTextContents()).map((title) => title.replaceAll(/\s+/g, ' '))
}

/** Returns the ids of the events that the page stores, newest first. */
function numbers(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    window.dispatchEvent(new Event('pagehide'))
    const { events } = JSON.parse(sessionStorage.getItem('console.feed') ?? '{}') as { events: { id: string }[] }
    return events.map(({ id }) => id).toReversed()
  })
}

import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { accessibilityFaults, findBrowser, GONE, keepPicture } from '../browser/browser.ts'
import { goTo, openConsole } from '../browser/console.ts'
import { createAgreement, NO_ANSWER } from '../support/agreements.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'

const browser = await findBrowser()

describe.skipIf(browser.isMissing)('the feed of the console', () => {
  let network: Network
  beforeAll(async () => {
    network = await startNetwork({ sandbox: NO_ANSWER })
    return () => network.close()
  })

  const live = async (options: Parameters<typeof openConsole>[2] = {}) => {
    const page = await openConsole(await browser.profile({ expectedErrors: [GONE] }), network, options)
    await isLive(page)
    return page
  }

  test('shows a payment as it is made, and leads to it', async () => {
    const page = await live()
    const { id } = await paid('order-live')
    await rowOf(page, 'order-live', '→ received').waitFor()
    expect(await texts(page, 'order-live')).toEqual(LIFE)
    expect(await accessibilityFaults(page)).toEqual([])
    await keepPicture(page, 'console-feed')
    await rowOf(page, 'order-live', 'Link created').getByRole('link').click()
    await page.getByRole('heading', { level: 1, name: 'Link order-live' }).waitFor()
    expect(page.url()).toContain(`#/links/${id}`)
    await page.goBack()
    await rowOf(page, 'order-live', '→ received').getByRole('link').click()
    await page.getByRole('heading', { level: 1, name: 'Payment order-live' }).waitFor()
  })

  test('begins with the newest events, and goes on behind them', async () => {
    const own = await startNetwork({ sandbox: NO_ANSWER })
    onTestFinished(() => own.close())
    for (let number = 1; number <= 101; number += 1) await createLink(own, { reference: `stored-${number}` })
    const profile = await browser.profile({ expectedErrors: [GONE] })
    const page = await openConsole(profile, own)
    await rowOf(page, 'stored-101', 'Link created').waitFor()
    await isLive(page)
    await createLink(own, { reference: 'stored-102' })
    await rowOf(page, 'stored-102', 'Link created').waitFor()
    const newest = Array.from({ length: 101 }, (_, index) => `stored-${102 - index}`)
    await expect.poll(() => page.locator('[data-row]').allTextContents()).toEqual(newest)
    // A page that is opened during an outage has no event to continue from.
    await page.route('**/graphql', (route) => route.abort('connectionrefused'))
    await page.evaluate(() => {
      window.addEventListener('pagehide', () => sessionStorage.removeItem('console.feed'))
    })
    await page.reload()
    await page.locator('.identity').getByText('Not connected').waitFor()
    await page.unroute('**/graphql')
    await rowOf(page, 'stored-102', 'Link created').waitFor()
    await isLive(page)
  })

  test('goes on over a reload and a restart of the server, without a hole or a repeat', async () => {
    const page = await live()
    await paid('order-before')
    await rowOf(page, 'order-before', '→ received').waitFor()
    await page.goto('about:blank')
    await paid('order-meanwhile')
    await page.goBack()
    await rowOf(page, 'order-meanwhile', '→ received').waitFor()
    await isLive(page)
    await network.restart()
    await paid('order-after')
    await rowOf(page, 'order-after', '→ received').waitFor()
    for (const reference of ['order-before', 'order-meanwhile', 'order-after'])
      expect(await texts(page, reference)).toEqual(LIFE)
    expect(await numbers(page)).toEqual(await recorded(await numbers(page)))
  })

  test('is filtered by kind, in the address', async () => {
    const page = await live()
    const { id } = await createAgreement(network, { clientTransactionId: 'mandate-7' })
    await paid('order-filter')
    await rowOf(page, 'order-filter', '→ received').waitFor()
    await page.getByLabel('Agreement created').check()
    await page.waitForURL('**/console#/feed?kind=AGREEMENT_CREATED')
    await rowOf(page, 'order-filter', '→ received').waitFor({ state: 'detached' })
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    await page.goBack()
    await rowOf(page, 'order-filter', '→ received').waitFor()
    expect(await page.getByLabel('Agreement created').isChecked()).toBe(false)
    await page.getByRole('link', { name: 'mandate-7' }).click()
    await page.waitForURL(`**/console#/agreements/${id}`)
  })

  test('can be held and continued', async () => {
    const page = await live()
    await page.getByRole('button', { name: 'Pause' }).click()
    await paid('order-held')
    await page.getByRole('button', { name: /Continue \(5 held back\)/ }).waitFor()
    expect(await page.getByRole('link', { name: 'order-held' }).count()).toBe(0)
    await page.getByRole('button', { name: /Continue/ }).click()
    await rowOf(page, 'order-held', '→ received').waitFor()
    expect(await texts(page, 'order-held')).toEqual(LIFE)
    await page.getByRole('button', { name: 'Clear the list' }).click()
    await page.getByText('No events yet.').waitFor()
  })

  test('says when the log does not reach back to where it was', async () => {
    const page = await live()
    await page.evaluate(() => {
      window.addEventListener('pagehide', () =>
        sessionStorage.setItem('console.feed', JSON.stringify({ events: [], cursor: 'AAAAAAAAAAAAAAAAAAAAAA' })),
      )
    })
    await page.reload()
    await page.getByText('so some events may be missing').waitFor()
    await paid('order-anew')
    await rowOf(page, 'order-anew', '→ received').waitFor()
    expect(await texts(page, 'order-anew')).toEqual(LIFE)
  })

  test('goes on while another view is shown', async () => {
    const page = await live({ at: '/health' })
    await paid('order-elsewhere')
    await goTo(page, '/feed')
    await rowOf(page, 'order-elsewhere', '→ received').waitFor()
    expect(await texts(page, 'order-elsewhere')).toEqual(LIFE)
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

/** A payment's events as the rows show them, newest first. */
const LIFE = [
  'Payment status changed: waiting → received',
  'Payment status changed: authorised → waiting',
  'Payment status changed: pending → authorised',
  'Payment status changed: pending',
  'Link created',
]

async function isLive(page: Page): Promise<void> {
  await page.locator('.identity').getByText('Live', { exact: true }).waitFor()
}

function rowOf(page: Page, reference: string, text: string) {
  return page.getByRole('row').filter({ hasText: reference }).filter({ hasText: text })
}

function texts(page: Page, reference: string): Promise<string[]> {
  return page.getByRole('row').filter({ hasText: reference }).locator('td:nth-of-type(3)').allTextContents()
}

/** Returns the ids of the events that the page stores, newest first. */
function numbers(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    window.dispatchEvent(new Event('pagehide'))
    const { events } = JSON.parse(sessionStorage.getItem('console.feed') ?? '{}') as { events: { id: string }[] }
    return events.map(({ id }) => id).toReversed()
  })
}

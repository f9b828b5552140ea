import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { accessibilityFaults, findBrowser, GONE, keepPicture } from '../browser/browser.ts'
import { isLive, openConsole } from '../browser/console.ts'
import { NO_ANSWER } from '../support/agreements.ts'
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
    const page = await openConsole(await browser.profile({ expectedErrors: [GONE] }), network, {
      at: '/feed',
      ...options,
    })
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

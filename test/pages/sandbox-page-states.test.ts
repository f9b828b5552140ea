import { startSandbox } from 'payments-subgraph-sandbox'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { accessibilityFaults, findBrowser, GONE } from '../browser/browser.ts'
import { PAY } from '../browser/shop.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { notice, visit } from './sandbox-visit.ts'

const browser = await findBrowser()

const SECTIONS = [
  'Links',
  'Payins',
  'Gateway payments',
  'Agreements',
  'Payouts',
  'Refunds and deposits',
  'Contacts',
  'Webhooks',
  'Calls',
  'Faults',
  'Scenarios',
  'Magic values',
  'Access',
]

async function widthOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth)
}

describe.skipIf(browser.isMissing)('the page of a sandbox that is alone', () => {
  test('says when the sandbox has gone, and goes on when one is there again', async () => {
    const first = await startSandbox()
    const { open } = await browser.profile({ expectedErrors: [GONE] })
    const page = await open(first.origin)
    await page.getByText('Live').filter({ visible: true }).waitFor()
    await first.close()
    await page.getByText('Not connected: retrying').filter({ visible: true }).waitFor()
    const second = await startSandbox({ port: Number(new URL(first.origin).port), webhookSecret: 'another-secret' })
    onTestFinished(() => second.close())
    await page.getByText('Live').filter({ visible: true }).waitFor()
    await visit(page, 'Access')
    await page.getByText('The secret of webhooks is the one that was configured').waitFor()
    expect(second.control.calls()).toEqual([])
  })
})

describe.skipIf(browser.isMissing)('the page of a sandbox in which nothing has happened', () => {
  let network: Network
  beforeAll(async () => {
    network = await startNetwork({ sandbox: { webhookSecret: 'sandbox-page-webhook-secret' } })
    return () => network.close()
  })

  test('makes links, payins, agreements, payouts, deposits and contacts itself, as an application does', async () => {
    const { open } = await browser.profile()
    const page = await open(network.sandbox.origin)
    for (const section of ['Links', 'Payins', 'Agreements', 'Payouts', 'Refunds and deposits', 'Contacts']) {
      await visit(page, section)
      await page.getByRole('button', { name: /^New / }).click()
      await page.getByRole('button', { name: 'Create' }).click()
      await notice(page, 'Created')
      await page.getByRole('table').getByRole('row').nth(1).waitFor()
    }
    const posted = network.sandbox.control.calls().filter(({ method }) => method === 'POST')
    expect(posted.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
    await visit(page, 'Links')
    const [hosted] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: /^Open the page of link/ }).click(),
    ])
    await hosted.getByRole('button', { name: PAY }).click()
    await page.getByRole('row').filter({ hasText: 'Received' }).waitFor()
  })

  test('has every column in 1,280 pixels, and rows of 44 at most', async () => {
    const { open } = await browser.profile({ viewport: { width: 1280, height: 800 } })
    const page = await open(network.sandbox.origin)
    for (const section of ['Links', 'Payins', 'Agreements', 'Payouts', 'Contacts', 'Calls']) {
      await visit(page, section)
      const hidden = await page.evaluate(() =>
        [...document.querySelectorAll('.table-wrap')].map((one) => one.scrollWidth - one.clientWidth),
      )
      expect([section, await widthOf(page), ...hidden.filter((width) => width > 1)]).toEqual([section, 1280])
      const heights = await page.evaluate(() =>
        [...document.querySelectorAll('tbody tr')].map((row) => row.getBoundingClientRect().height),
      )
      expect(Math.max(0, ...heights)).toBeLessThanOrEqual(44)
    }
  })

  test.each([SECTIONS.slice(0, 4), SECTIONS.slice(4, 8), SECTIONS.slice(8)])(
    'is accessible, in light and dark, and fits into 360 pixels: %s, %s, %s, %s',
    async (...sections) => {
      const { open } = await browser.profile({ viewport: { width: 360, height: 740 } })
      const page = await open(network.sandbox.origin)
      for (const section of sections) {
        await visit(page, section)
        expect([await page.title(), await widthOf(page)]).toEqual([`${section} · Sandbox`, 360])
        expect(await accessibilityFaults(page)).toEqual([])
      }
    },
  )

  test('shows no secret that was configured, and copies those that are the same everywhere', async () => {
    const { context, open } = await browser.profile()
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const page = await open(`${network.sandbox.origin}/sandbox#access`)
    await page.getByText('The secret of webhooks is the one that was configured').waitFor()
    expect(await page.content()).not.toContain('sandbox-page-webhook-secret')
    await page.getByRole('button', { name: 'Copy secret-key of sandbox-aud' }).click()
    await notice(page, 'Copied')
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('sandbox-secret-aud')
  })
})

import { beforeAll, describe, expect, test } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { accessibilityFaults, findBrowser } from './browser.ts'
import { goTo, openConsole, VIEWS } from './console.ts'
import { PAY, placeOrder, showsHeadline } from './shop.ts'

const browser = await findBrowser()

describe.skipIf(browser.isMissing)('the pages', () => {
  let network: Network
  beforeAll(async () => {
    network = await startNetwork({ sandbox: { paceMs: 50 } })
    return () => network.close()
  })

  test('lead from the start over the shop and the hosted page to a payment that console and sandbox show', async () => {
    const profile = await browser.profile()
    const page = await profile.open(network.app.url)
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('link', { name: 'Shop' }).click()
    await page.waitForURL('**/shop')
    const popup = await placeOrder(page, { method: 'au_card_aud' })
    await popup.getByRole('button', { name: PAY }).click()
    await showsHeadline(page, 'paid')
    expect(await accessibilityFaults(page)).toEqual([])

    const [link] = network.sandbox.control.state().links
    const operator = await openConsole(profile, network, { at: `/links/${link?.uuid}` })
    await expect.poll(() => operator.locator('.facts').first().textContent()).toMatch(/^PaymentReceived/)
    const sandbox = await profile.open(network.sandbox.origin)
    await sandbox
      .getByRole('row')
      .filter({ hasText: String(link?.uuid) })
      .filter({ hasText: 'received' })
      .waitFor()
    expect(await accessibilityFaults(sandbox)).toEqual([])
  })

  test('have a console of these views, each with a heading', async () => {
    const page = await openConsole(await browser.profile(), network)
    for (const [at, title] of VIEWS) {
      await goTo(page, at)
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
      expect(page.url()).toContain(`#${at}`)
    }
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('are made of parts, whose page shows each in each state, at each width', async () => {
    const { open } = await browser.profile()
    const page = await open(`${network.app.url}/console/design`)
    for (const width of [1_280, 390]) {
      await page.setViewportSize({ width, height: 800 })
      expect(await accessibilityFaults(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    }
    await page.getByRole('button', { name: 'Drawer …' }).click()
    await page.getByRole('dialog', { name: 'A dialog' }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('have an explorer, which answers the first of its examples', async () => {
    const { open } = await browser.profile()
    const page = await open(`${network.app.url}/graphql`)
    expect(await page.title()).toBe('GraphQL explorer')
    await expect.poll(() => page.locator('.graphiql-query-editor').innerText()).toContain('PayinMethods')
    await page.getByRole('button', { name: 'Execute query' }).click()
    await expect.poll(() => page.locator('.result-window').innerText()).toContain('payinMethods')
  })
})

import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { accessibilityFaults, findBrowser } from '../browser/browser.ts'
import { PAY } from '../browser/shop.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'

const browser = await findBrowser()

/** An amount for which the sandbox demands a step at the customer's bank. */
const ASKS_THE_BANK = { value: '333.33', currency: 'AUD' }

describe.skipIf(browser.isMissing)('the hosted page', () => {
  let network: Network
  beforeAll(async () => {
    network = await startNetwork({ sandbox: { paceMs: 20 } })
    return () => network.close()
  })

  async function openLink(over: Record<string, unknown> = {}) {
    const [{ checkoutUrl, id }, { open }] = await Promise.all([createLink(network, over), browser.profile()])
    return { page: await open(checkoutUrl), id }
  }
  const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click()
  const says = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).waitFor()

  test('can be used by everybody, from the choice to the money', async () => {
    const { page } = await openLink()
    await says(page, 'Choose how to pay.')
    expect(await accessibilityFaults(page)).toEqual([])
    await press(page, PAY)
    await says(page, 'The payment was received.')
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('can be used by everybody when the bank asks, and when it refuses', async () => {
    const { page } = await openLink({ amount: ASKS_THE_BANK, methodCode: 'au_card_aud' })
    await press(page, PAY)
    await page.getByRole('heading', { name: 'Confirm it is you' }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.goBack()
    await page.getByRole('link', { name: 'Continue to your bank' }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('link', { name: 'Continue to your bank' }).click()
    await press(page, 'Refuse the payment')
    await says(page, 'The payment failed.')
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('can be used by everybody when its time is over', async () => {
    const { page } = await openLink()
    await press(page, 'Let it expire')
    await says(page, 'This link has expired.')
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('stays for somebody who is using it, until they say that they are done', async () => {
    const opener = await (await browser.profile()).open(`${network.app.url}/shop`)
    const { checkoutUrl } = await createLink(network)
    const opened = opener.waitForEvent('popup')
    await opener.evaluate((url) => void window.open(url, '_blank', 'popup'), checkoutUrl)
    const page = await opened
    await page.clock.install()
    await page.reload()
    await press(page, PAY)
    await page.getByText('You are taken back in a few seconds.').waitFor()
    await page.keyboard.press('Tab')
    expect(await page.getByText('You are taken back').isVisible()).toBe(false)
    await page.clock.fastForward(60_000)
    expect(page.isClosed()).toBe(false)
    await page.getByRole('button', { name: 'Done' }).focus()
    // The window closes before the key is released.
    await Promise.all([page.waitForEvent('close'), page.keyboard.press('Enter').catch(() => {})])
  })
})

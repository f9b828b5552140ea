import { beforeAll, describe, expect, test } from 'vitest'
import { accessibilityFaults, findBrowser } from '../browser/browser.ts'
import { isLive, openDrawer, placeAndClose, sequencesIn, showsHeadline } from '../browser/shop.ts'
import { pay } from '../support/checkout.ts'
import { startNetwork, type Network } from '../support/network.ts'

const browser = await findBrowser()

describe.skipIf(browser.isMissing)('an order that is come back to', () => {
  let network: Network
  beforeAll(async () => {
    network = await startNetwork({ sandbox: { paceMs: 50 } })
    return () => network.close()
  })
  const shop = () => `${network.app.url}/shop`
  const checkoutUrl = () => network.sandbox.control.state().links.at(-1)?.paymentUrl ?? ''

  test('says when it is offline, and catches up with what was paid meanwhile', async () => {
    const { open, context } = await browser.profile({ expectedErrors: [/ERR_INTERNET_DISCONNECTED/] })
    const page = await open(shop())
    await placeAndClose(page)
    await openDrawer(page)
    await context.setOffline(true)
    await page.locator('[data-connection=offline]').waitFor()
    await pay(checkoutUrl(), 'au_card_aud')
    await network.sandbox.control.advance(1)
    await context.setOffline(false)
    await showsHeadline(page, 'paid')
    await isLive(page)
    await expect.poll(() => sequencesIn(page)).toEqual([2, 3, 4, 5])
  })

  test('is shown to nobody who has only its number, or another token', async () => {
    const { open } = await browser.profile()
    const page = await open(shop())
    await placeAndClose(page)
    const address = new URL(page.url())

    const stranger = await browser.profile()
    const withoutToken = await stranger.open(`${shop()}${address.search}`)
    await withoutToken.getByRole('heading', { name: 'This order cannot be shown.' }).waitFor()
    expect(await accessibilityFaults(withoutToken)).toEqual([])
    const forged = await stranger.open(address.href.replace(/.{4}$/, 'AAAA'))
    await forged.getByText('The order does not exist, or its address is not complete.').waitFor()
    await expect.poll(() => forged.getByText('Coffee beans').count()).toBe(0)
  })
})

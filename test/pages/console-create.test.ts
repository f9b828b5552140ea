import { beforeAll, describe, expect, test } from 'vitest'
import { accessibilityFaults, findBrowser } from '../browser/browser.ts'
import { goTo, openConsole } from '../browser/console.ts'
import { startNetwork, type Network } from '../support/network.ts'

const browser = await findBrowser()

describe.skipIf(browser.isMissing)('what an operator creates in the console', () => {
  let network: Network
  beforeAll(async () => {
    network = await startNetwork()
    return () => network.close()
  })

  test('a link, from the palette: a problem stands at its field, and the link can be scanned, copied and sent', async () => {
    const page = await openConsole(await browser.profile(), network)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('new link')
    await page.keyboard.press('Enter')
    const drawer = page.getByRole('dialog', { name: 'New link' })
    const values = { Amount: '12,345', Currency: 'AUD', Reference: 'order-drawer', Description: 'Beans' }
    for (const [label, value] of Object.entries(values)) await drawer.getByLabel(label, { exact: true }).fill(value)
    await drawer.getByLabel('E-mail of the customer').fill('ada@example.test')
    await drawer.getByLabel('Given name').fill('Ada')
    await drawer.getByLabel('Family name').fill('Byron')
    await drawer.getByRole('button', { name: 'Create the link' }).click()
    await expect.poll(() => drawer.getByLabel('Amount', { exact: true }).getAttribute('aria-invalid')).toBe('true')
    expect(await accessibilityFaults(page)).toEqual([])
    await drawer.getByLabel('Amount', { exact: true }).fill('12,34')
    await drawer.getByRole('button', { name: 'Create the link' }).click()
    await drawer.getByRole('img', { name: /^QR code/ }).waitFor()
    const url = network.sandbox.control.state().links.at(-1)?.paymentUrl ?? ''
    expect(await drawer.getByRole('link', { name: 'Send by e-mail' }).getAttribute('href')).toContain(
      encodeURIComponent(url),
    )
    expect(await drawer.getByRole('button', { name: 'Copy the link' }).count()).toBe(1)
    expect(await accessibilityFaults(page)).toEqual([])
    await drawer.getByRole('button', { name: 'Close', exact: true }).click()
    await goTo(page, '/links')
    await page.getByRole('link', { name: 'order-drawer' }).waitFor()
  })
})

import { beforeAll, describe, expect, test } from 'vitest'
import { findBrowser } from '../browser/browser.ts'
import { goTo, openConsole, signOut } from '../browser/console.ts'
import { add, PAY, placeOrder, showsHeadline } from '../browser/shop.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { historyOf } from '../support/payments.ts'
import { visit } from './sandbox-visit.ts'

const browser = await findBrowser()

/** Returns a profile in which storage is blocked, as by a setting of the browser: to name it throws. */
async function profile() {
  const made = await browser.profile()
  await made.context.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches', 'cookieStore'])
      Object.defineProperty(window, name, {
        get() {
          throw new DOMException('Access is denied for this document.', 'SecurityError')
        },
      })
  })
  return made
}

describe.skipIf(browser.isMissing)('with storage blocked', () => {
  let network: Network
  beforeAll(async () => {
    network = await startNetwork({ sandbox: { paceMs: 20 } })
    return () => network.close()
  })

  test('the shop sells, and the hosted page takes the money', async () => {
    const { open } = await profile()
    const page = await open(`${network.app.url}/shop`)
    await add(page, 'Stoneware cup')
    await add(page, 'Stoneware cup')
    await page.getByRole('button', { name: 'Pay A$66.50' }).waitFor()
    const popup = await placeOrder(page)
    await popup.getByRole('button', { name: PAY }).click()
    await showsHeadline(page, 'paid')
    await page.getByRole('button', { name: 'Back to the shop' }).click()
    await page.getByRole('button', { name: 'Add Stoneware cup' }).waitFor()
    expect(page.url()).toBe(`${network.app.url}/shop`)
  })

  test('the console signs in, is used, and signs out', async () => {
    const { paymentId, id } = await paid()
    const page = await openConsole(await profile(), network, { at: `/payments/${paymentId}` })
    await page.getByText('received', { exact: true }).first().waitFor()
    await goTo(page, `/links/${id}`)
    await page.keyboard.press('?')
    await page.getByRole('switch').uncheck()
    await page.keyboard.press('Escape')
    await signOut(page)
    await expect.poll(() => page.getByLabel('Client token').inputValue()).toBe('')
  })

  test("the explorer runs an operation, and the sandbox's page shows its sections", async () => {
    const { open } = await profile()
    const explorer = await open(`${network.app.url}/graphql`)
    await explorer.locator('.graphiql-query-editor', { hasText: 'PayinMethods' }).waitFor()
    await explorer.getByRole('button', { name: 'Execute query' }).click()
    await expect.poll(() => explorer.locator('.result-window').textContent()).toContain('au_card_aud')
    const page = await open(network.sandbox.origin)
    await visit(page, 'Webhooks')
  })

  async function paid() {
    const { id } = await createLink(network)
    await network.sandbox.control.setStatus(id, 'received')
    const paymentId = (await historyOf(network, id)).payment?.id
    return { id, paymentId }
  }
})

import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { accessibilityFaults, findBrowser, keepPicture } from '../browser/browser.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { historyOf } from '../support/payments.ts'
import { notice, rowOf, visit } from './sandbox-visit.ts'

const browser = await findBrowser()

/** Opens the dialog of a link and returns it. */
async function change(page: Page, id: string) {
  await page.getByRole('button', { name: `Change link ${id}` }).click()
  return page.getByRole('dialog', { name: `Change link ${id}` })
}

describe.skipIf(browser.isMissing)("the sandbox's page", () => {
  let network: Network
  beforeAll(async () => {
    network = await startNetwork()
    return () => network.close()
  })

  test('shows a link as it is made, sets its status, and the application learns it', async () => {
    const { open } = await browser.profile()
    const page = await open(network.sandbox.origin)
    await page.getByText('Live').filter({ visible: true }).waitFor()
    const { id } = await createLink(network, { description: 'Made live' })
    await rowOf(page, id).filter({ hasText: '125.50 AUD' }).waitFor()
    await keepPicture(page, 'sandbox-links')

    const dialog = await change(page, id)
    await dialog.getByLabel('Status', { exact: true }).selectOption('received')
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Set status' }).click()
    await notice(page, `${id} is received.`)
    await rowOf(page, id).filter({ hasText: 'received' }).waitFor()
    expect(await historyOf(network, id)).toMatchObject({ state: 'PAID', payment: { status: 'RECEIVED' } })
    // The focus returns to the button that opened the dialog.
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe(`Change link ${id}`)
  })

  test('sends a webhook again, and badly, and shows both answers', async () => {
    const { open } = await browser.profile()
    const { id } = await createLink(network)
    await network.sandbox.control.setStatus(id, 'received')
    const page = await open(`${network.sandbox.origin}/sandbox#webhooks`)
    const row = rowOf(page, id)
    await row.getByRole('button', { name: /^Resend/ }).click()
    await notice(page, /was sent again: 200\.$/)
    await row.filter({ hasText: '200 (2 attempts)' }).waitFor()
    await keepPicture(page, 'sandbox-webhooks')

    await row.getByRole('button', { name: /^Look/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Resend' }).click()
    await dialog.getByRole('status').filter({ hasText: 'sent again: 200' }).waitFor()
    await dialog.getByRole('row').filter({ hasText: 'manually' }).nth(1).waitFor()
    await dialog.getByText(`"status": "received"`).waitFor()
    await dialog.getByText(/^[0-9a-f]{64}$/).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })

    await visit(page, 'Links')
    const delivering = await change(page, id)
    await delivering.getByLabel('Fault').selectOption('forged')
    await delivering.getByRole('button', { name: 'Deliver' }).click()
    await notice(page, 'Delivered, and answered: 401.')
  })

  test('runs a scenario from a file or as it is written, and shows each step and what failed', async () => {
    const { open } = await browser.profile()
    const page = await open(`${network.sandbox.origin}/sandbox#scenarios`)
    const run = page.getByRole('button', { name: 'Run the scenario' })
    await run.click()
    await notice(page, 'The scenario succeeded.')
    expect(await page.getByRole('row').filter({ hasText: 'Completed' }).count()).toBe(4)

    const text = await page.getByLabel('Scenario, in YAML').inputValue()
    const buffer = Buffer.from(text.replace('status: failed', 'status: received'))
    await page.getByLabel('Scenario file').setInputFiles({ name: 'paid.yaml', mimeType: 'application/yaml', buffer })
    await run.click()
    await page.getByText('Step 4: status of order is failed, not received').waitFor()
    await rowOf(page, '"status":"received"').filter({ hasText: 'Failed' }).waitFor()
    expect(await page.getByRole('row').filter({ hasText: 'Completed' }).count()).toBe(3)
    expect(await accessibilityFaults(page)).toEqual([])

    await page.getByLabel('Scenario, in YAML').fill('name: x\nsteps: [')
    await run.click()
    await page.getByText(/^The scenario is not YAML: .* at line 2/).waitFor()
    expect(await page.getByRole('row').count()).toBe(0)
  })

  test('can be used with the keyboard alone', async () => {
    const { open } = await browser.profile()
    const { id } = await createLink(network)
    const page = await open(network.sandbox.origin)
    await rowOf(page, id).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('content')
    await page.getByRole('button', { name: `Change link ${id}` }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    await dialog.getByLabel('Status', { exact: true }).focus()
    await page.keyboard.type('auth')
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Set status' }).focus()
    await page.keyboard.press('Enter')
    await notice(page, `${id} is authorised.`)
  })
})

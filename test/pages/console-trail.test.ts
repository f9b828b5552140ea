import { beforeAll, describe, expect, test } from 'vitest'
import { accessibilityFaults, findBrowser } from '../browser/browser.ts'
import { openConsole } from '../browser/console.ts'
import { newKey } from '../support/inputs.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { historyOf } from '../support/payments.ts'

const browser = await findBrowser()

describe.skipIf(browser.isMissing)('the trail of operators in the console', () => {
  let network: Network
  let paymentId: string
  beforeAll(async () => {
    network = await startNetwork()
    const link = await createLink(network, { reference: 'order-trail' })
    for (const status of ['pending', 'received'] as const) await network.sandbox.control.setStatus(link.id, status)
    await network.sandbox.settle()
    paymentId = (await historyOf(network, link.id)).payment?.id ?? ''
    const path = '/v3/payin_links/refund'
    network.sandbox.control.addFault({ method: 'POST', path, answer: { status: 422, body: {} } })
    const refund = 'mutation R($input: RefundPaymentInput!) { refundPayment(input: $input) { __typename } }'
    const bob = { token: await network.token({ subject: 'bob' }) }
    const input = { idempotencyKey: newKey(), paymentId, description: 'Returned' }
    await network.ask(refund, { input }, bob)
    await network.sandbox.control.deliver(link.id, { kind: 'late', status: 'received' })
    await network.ask('mutation F($id: ID!) { refreshPayment(id: $id) { __typename } }', { id: paymentId }, bob)
    return () => network.close()
  })

  test('shows who asked for what, and notes, which their author alone deletes', async () => {
    const page = await openConsole(await browser.profile(), network, { subject: 'ada', at: `/payments/${paymentId}` })
    const timeline = page.getByRole('list', { name: 'Timeline' })
    await timeline.getByText('Refund payment: refused').waitFor()
    await timeline.getByText('Command of bob').waitFor()
    await page.getByLabel('Note').fill('Called the bank.\nIt pays again on Monday.')
    await page.getByRole('button', { name: 'Add note' }).click()
    await timeline.getByText('Note by ada').waitFor()
    expect(await page.getByLabel('Note').inputValue()).toBe('')
    expect(await accessibilityFaults(page)).toEqual([])
    const ofBob = await openConsole(await browser.profile(), network, { subject: 'bob', at: `/payments/${paymentId}` })
    await ofBob.getByText('It pays again on Monday.').waitFor()
    expect(await ofBob.getByRole('button', { name: 'Delete note' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Delete note' }).click()
    await timeline.getByText('Note by ada').waitFor({ state: 'detached' })
  })

  test('shows how a delivery came', async () => {
    const page = await openConsole(await browser.profile(), network, { at: `/payments/${paymentId}` })
    await page.getByRole('link', { name: 'Show the delivery' }).last().click()
    const facts = page.getByRole('complementary', { name: 'Facts' })
    await facts.getByText('application/json').waitFor()
    await facts.getByText(/^\d.* after its creation there$/).waitFor()
    await facts.getByText(/^\d.* after its receipt$/).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
  })
})

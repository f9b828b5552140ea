import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { accessibilityFaults, findBrowser } from '../browser/browser.ts'
import { goTo, openConsole } from '../browser/console.ts'
import { createAgreement, NO_ANSWER } from '../support/agreements.ts'
import { setGatewayStatus } from '../support/gateway-payments.ts'
import { openedUpload, pictures, refusedContact } from '../support/identity.ts'
import { AT_REST, payinElsewhere } from '../support/imports.ts'
import { gatewayInput, payoutInput } from '../support/inputs.ts'
import { made, mutate } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink, type CreatedLink } from '../support/operations.ts'
import { BY_HAND } from '../support/payins.ts'
import { V1_SITES, v1PayeeInput, v1PayoutInput } from '../support/payouts.ts'

const browser = await findBrowser()

describe.skipIf(browser.isMissing)('the views of the console', () => {
  let network: Network
  let link: CreatedLink
  /** With two sites, so that an import takes two seconds, and a payin that was made elsewhere. */
  let reconciled: Network
  let elsewhere: string
  /** Whose identity checks end when a test says so. */
  let checked: Network
  beforeAll(async () => {
    checked = await startNetwork({ sandbox: BY_HAND })
    return () => checked.close()
  })
  beforeAll(async () => {
    reconciled = await startNetwork({ sandbox: AT_REST })
    elsewhere = await payinElsewhere(reconciled)
    return () => reconciled.close()
  })
  beforeAll(async () => {
    network = await startNetwork({ sandbox: NO_ANSWER })
    link = await createLink(network, { reference: 'order-view' })
    await network.sandbox.control.setStatus(link.id, 'received')
    await createLink(network, { reference: 'order-open' })
    const { serviceId } = await createAgreement(network, { clientTransactionId: 'mandate-active' })
    await network.sandbox.control.setAgreementStatus(serviceId, 'active')
    await createAgreement(network, { clientTransactionId: 'mandate-new' })
    return () => network.close()
  })

  test('list links, and show one', async () => {
    const page = await openConsole(await browser.profile(), network, { at: '/links' })
    await expect.poll(() => rows(page)).toEqual(['order-open', 'order-view'])
    await page.getByRole('checkbox', { name: 'Succeeded' }).check()
    await expect.poll(() => rows(page)).toEqual(['order-view'])
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('link', { name: 'order-view' }).click()
    await page.getByRole('heading', { level: 1, name: 'Link order-view' }).waitFor()
    await expect.poll(() => page.locator('.facts').textContent()).toMatch(/Paid.*125\.50.*received/)
    await page.getByRole('button', { name: 'Reconcile now' }).click()
    await page.getByText('The payments API was read: nothing had changed.').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('list agreements by status, and show one', async () => {
    const page = await openConsole(await browser.profile(), network, { at: '/agreements' })
    await expect.poll(() => rows(page)).toEqual(['mandate-new', 'mandate-active'])
    await page.getByRole('checkbox', { name: 'Active' }).check()
    await expect.poll(() => rows(page)).toEqual(['mandate-active'])
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('link', { name: 'mandate-active' }).click()
    await page.getByRole('heading', { level: 1, name: 'Agreement mandate-active' }).waitFor()
    await expect
      .poll(() => page.locator('.facts').textContent())
      .toMatch(/Active.*250\.50.*Membership of the club.*Ada Payer/)
    await expect.poll(() => page.locator('svg.timeline .lane').allTextContents()).toEqual(['created', 'active'])
  })

  test('list payouts by status, and show one with its transactions', async () => {
    const input = payoutInput({ externalId: 'batch-view' })
    const { id } = await made(mutate(network, 'createPayout', input), 'payout')
    const page = await openConsole(await browser.profile(), network, { at: '/payouts' })
    await expect.poll(() => rows(page)).toEqual(['batch-view'])
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('link', { name: 'batch-view' }).click()
    await page.getByRole('heading', { level: 1, name: 'Payout batch-view' }).waitFor()
    await expect.poll(() => page.locator('.facts').textContent()).toContain('Prizes of the week')
    const transactions = page.getByRole('table', { name: 'Transactions' }).getByRole('row')
    await expect.poll(() => transactions.count()).toBe(3)
    await expect.poll(() => transactions.nth(2).textContent()).toContain('Joan')
    await network.sandbox.control.setPayoutStatus(id, 'completed')
    await page.locator('.facts').getByText('Completed').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await goTo(page, '/payouts?status=EXPIRED')
    await page.getByText('There are no payouts here.').waitFor()
  })

  test('show a v1 payout with what came back of it', async () => {
    const other = await startNetwork({ sandbox: BY_HAND, env: V1_SITES })
    onTestFinished(() => other.close())
    const [refused, payId] = [v1PayeeInput({ amount: '777.03' }), v1PayeeInput({ methodFields: { payid: 'a@b.test' } })]
    const input = v1PayoutInput({ externalId: 'batch-v1', transactions: [refused, payId] })
    const { id } = await made(mutate(other, 'createPayout', input), 'payout')
    const page = await openConsole(await browser.profile(), other, { at: `/payouts/${id}` })
    await page.getByRole('heading', { level: 1, name: 'Payout batch-v1' }).waitFor()
    const [payout] = other.sandbox.control.state().payouts
    await other.sandbox.control.setPayoutStatus(payout?.uuid ?? '', 'completed')
    await page.locator('.facts').getByText('Completed').waitFor()
    await expect
      .poll(() => page.locator('.facts').textContent())
      .toMatch(/Returned.*777\.03.*1 of 2.*bank account or PayID/)
    await expect.poll(() => page.getByRole('table', { name: 'Transactions' }).textContent()).toContain('***@b.test')
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('compare with the lists of the payments API, and show what differed', async () => {
    const page = await openConsole(await browser.profile(), reconciled, { at: '/imports' })
    await page.getByText('There are no imports here.').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByLabel('Created from').fill(new Date(Date.now() - 86_400_000).toISOString().slice(0, 16))
    await page.getByRole('button', { name: 'Compare only' }).click()
    await page.getByRole('heading', { level: 1, name: /^Import \d+$/ }).waitFor()
    await page.locator('.facts').getByText('Done').waitFor()
    const lists = page.getByRole('table', { name: 'Lists' }).getByRole('row', { name: 'krw Payins' })
    await expect
      .poll(() => lists.getByRole('cell').allTextContents())
      .toEqual(['Payins', '1', '0', '0', '1', '0', '0', '–'])
    await page.getByText(`krw, payins, not on record: ${elsewhere}`).waitFor()
    const totals = page.getByRole('table', { name: 'Differences' }).getByRole('row', { name: 'All sites' })
    await expect.poll(() => totals.last().textContent()).toBe('All sitesPaymentsKRWDifference125000.00.00')
    expect(await accessibilityFaults(page)).toEqual([])

    await goTo(page, '/imports')
    await expect.poll(() => rows(page)).toHaveLength(1)
    await page.getByLabel('Created from').fill('2100-01-01T00:00')
    await page.getByRole('button', { name: 'Record what is missing' }).click()
    await page.getByRole('alert').getByText('must be in the past').waitFor()
    await page.getByLabel('Created from').fill(new Date(Date.now() - 86_400_000).toISOString().slice(0, 16))
    await page.getByRole('button', { name: 'Record what is missing' }).click()
    await page.getByRole('link', { name: elsewhere }).click()
    await page.getByRole('heading', { level: 1, name: /^Payment / }).waitFor()
  })

  test('list gateway payments by order, and show one as its callbacks move it', async () => {
    const input = gatewayInput({ orderId: 'gateway-view' })
    const { paymentId } = await mutate(network, 'createGatewayPayment', input)
    const page = await openConsole(await browser.profile(), network, { at: '/gateway-payments' })
    await expect.poll(() => rows(page)).toEqual(['gateway-view'])
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('link', { name: 'gateway-view' }).click()
    await page.getByRole('heading', { level: 1, name: 'Gateway payment gateway-view' }).waitFor()
    await setGatewayStatus(network, String(paymentId), 'received')
    await page.locator('.facts').getByText('Received').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await goTo(page, '/gateway-payments?status=FAILED')
    await page.getByText('There are no gateway payments here.').waitFor()
  })

  test('list contacts with the state of their identity', async () => {
    const email = await refusedContact(network)
    const page = await openConsole(await browser.profile(), network, { at: '/contacts' })
    const contacts = page.getByRole('table', { name: 'Contacts' }).getByRole('row')
    await expect.poll(() => contacts.filter({ hasText: email }).count()).toBe(1)
    await expect.poll(() => contacts.nth(1).textContent()).toMatch(/Ada Contact.*Rejected.*The document cannot be read/)
    expect(page.url()).not.toContain(email)
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('show how an identity check ends', async () => {
    const { email, url } = await openedUpload(checked)
    await fetch(url, { method: 'POST', body: pictures() })
    const page = await openConsole(await browser.profile(), checked, { at: '/contacts' })
    const row = page.getByRole('table', { name: 'Contacts' }).getByRole('row').filter({ hasText: email })
    await row.getByText('Pending').waitFor()
    await checked.sandbox.control.advance((2 * BY_HAND.paceMs) / 1_000)
    await page.reload()
    await row.getByText('Approved').waitFor()
    expect(page.url()).not.toContain(email)
  })

  test('list balances with what is missing, and what moved the account', async () => {
    network.sandbox.control.addFault({ path: '/v2/balances/detail', answer: { status: 404 }, times: 1 })
    const page = await openConsole(await browser.profile(), network, { at: '/accounts' })
    await page.getByText('UPSTREAM_NOT_FOUND').waitFor()
    const balances = page.getByRole('table', { name: 'Balances' })
    await expect.poll(() => balances.getByRole('row').count()).toBe(network.sandbox.sites.length)
    const movements = page.getByRole('table', { name: 'Movements' }).getByRole('row')
    await expect.poll(() => movements.filter({ hasText: /payment, in.*done.*125\.50/ }).count()).toBe(1)
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('list deliveries by disposition and by what they are about', async () => {
    const page = await openConsole(await browser.profile(), network, { at: '/deliveries' })
    const applied = page.getByRole('row').filter({ hasText: 'Applied' })
    await expect.poll(() => applied.count()).toBeGreaterThan(0)
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('checkbox', { name: 'Quarantined' }).check()
    await page.getByText('There are no deliveries here.').waitFor()
    const { data } = await network.ask<{ paymentLink: { payment: { id: string } } }>(
      'query P($id: ID!) { paymentLink(id: $id) { payment { id } } }',
      { id: link.id },
    )
    await goTo(page, `/deliveries?subject=${data.paymentLink.payment.id}`)
    await expect.poll(() => applied.count()).toBe(1)
    await applied.getByRole('link', { name: data.paymentLink.payment.id }).click()
    await page.getByRole('heading', { level: 1, name: 'Payment order-view' }).waitFor()
  })

  test('say that an address names none of them, and lead back', async () => {
    const page = await openConsole(await browser.profile(), network, { at: '/paymnets/x' })
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    expect(await page.title()).toBe('Page not found · Payments console')
    await page.getByRole('link', { name: 'Go to the live events' }).click()
    await page.getByRole('heading', { name: 'Live events' }).waitFor()
  })
})

function rows(page: Page): Promise<string[]> {
  return page.locator('[data-row]').allTextContents()
}

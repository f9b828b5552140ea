import type { Locator } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { accessibilityFaults, findBrowser } from '../browser/browser.ts'
import { goTo, openConsole } from '../browser/console.ts'
import { picture } from '../support/identity.ts'
import { contactInput, personInput } from '../support/inputs.ts'
import { mutate } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'

const browser = await findBrowser()

type Drawer = {
  readonly title: string
  /** Code of the method, where the fields depend on one. */
  readonly choice?: string
  readonly values: Readonly<Record<string, string>>
  readonly wrong: Readonly<Record<string, string>>
  readonly button: string
  /** The button after a second look. */
  readonly second?: RegExp
  readonly done: string | RegExp
}

/** Every drawer that creates something and is opened by its name. */
const DRAWERS: readonly Drawer[] = [
  {
    title: 'New agreement',
    values: {
      Reference: 'agreement-drawer',
      'Limit of each payment in AUD': '250,50',
      'Amount rule': 'VARIABLE',
      Frequency: 'MONTHLY',
      'First day': '2030-01-31',
      Purpose: 'RETAIL',
      Description: 'Membership of the club',
      'Name of the payer': 'Ada Payer',
      BSB: '062-000',
      'Account number': '481516234',
    },
    wrong: { BSB: '62' },
    button: 'Create the agreement',
    done: 'was created. The payer now confirms it',
  },
  {
    title: 'New payout',
    choice: 'au_bank_aud',
    values: {
      'Amount in AUD': '40.25',
      'Given name of the payee': 'Grace',
      'Family name': 'Payee',
      'E-mail': 'grace@example.test',
      'Account number': '112233445',
      'Account name': 'Grace Payee',
      'Bank-state-branch number': '062000',
      Description: 'Prizes of the week',
    },
    wrong: { 'Amount in AUD': 'forty' },
    button: 'Continue',
    second: /^Pay out .* AUD$/,
    done: 'was created.',
  },
  {
    title: 'Simulate a deposit',
    values: { 'Account number': '481516234', Amount: '12.50', Currency: 'AUD' },
    wrong: { Amount: '12.505' },
    button: 'Simulate the deposit',
    done: 'The sandbox credits the account.',
  },
  {
    title: 'New contact',
    values: {
      Currency: 'AUD',
      'E-mail': 'ada.drawer@example.test',
      'Given name': 'Ada',
      'Family name': 'Drawer',
      'Date of birth': '1990-12-10',
      Gender: 'FEMALE',
      Telephone: '+61 412 345 678',
      'Street and number': '1 Engine Street',
      City: 'Sydney',
      'Postal code': '2000',
      'State or province': 'NSW',
      Country: 'AU',
    },
    wrong: { Telephone: '0412' },
    button: 'Create the contact',
    done: 'The contact was created.',
  },
]

/** Returns the field of a drawer, whose label may say that it is optional. */
function field(dialog: Locator, label: string): Locator {
  return dialog.getByLabel(new RegExp(`^${label}( \\(optional\\))?$`))
}

async function fillIn(dialog: Locator, values: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, value] of Object.entries(values)) {
    const one = field(dialog, label)
    await one.waitFor()
    if (await one.evaluate((element) => element instanceof HTMLSelectElement)) await one.selectOption(value)
    else await one.fill(value)
  }
}

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

  test.each(DRAWERS)('$title, where wrong input is named at its field', async (drawer) => {
    const { title, choice, values, wrong, button, second, done } = drawer
    const page = await openConsole(await browser.profile(), network)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill(title)
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: title })
    const method = dialog.getByLabel('Method', { exact: true })
    if (choice !== undefined) await method.locator(`option[value=${choice}]`).waitFor({ state: 'attached' })
    if (choice !== undefined) await method.selectOption(choice)
    await fillIn(dialog, { ...values, ...wrong })
    await dialog.getByRole('button', { name: button }).click()
    if (second !== undefined) await dialog.getByRole('button', { name: second }).click()
    const [label = ''] = Object.keys(wrong)
    await expect.poll(() => field(dialog, label).getAttribute('aria-invalid')).toBe('true')
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-invalid'))).toBe('true')
    expect(await accessibilityFaults(page)).toEqual([])
    await field(dialog, label).fill(values[label] ?? '')
    await dialog.getByRole('button', { name: button }).click()
    if (second !== undefined) await dialog.getByRole('button', { name: second }).click()
    await dialog.getByText(done).waitFor()
  })

  test('a check of an identity, with the pictures of its document', async () => {
    const { email } = personInput()
    await mutate(network, 'createPaymentContact', contactInput({ person: personInput({ email }) }))
    const page = await openConsole(await browser.profile(), network, { at: '/contacts' })
    await page
      .getByRole('button')
      .filter({ hasText: String(email) })
      .click()
    await page.getByRole('button', { name: 'Check the identity …' }).click()
    const dialog = page.getByRole('dialog', { name: 'Check the identity' })
    await fillIn(dialog, {
      Currency: 'AUD',
      Document: 'PASSPORT',
      'Number of the document': 'P8152342',
      'Name as printed': 'ADA CONTACT',
      'Valid until': '2020-01-30',
      'Issued by': 'AU',
      Nationality: 'AU',
    })
    await dialog.getByRole('button', { name: 'Continue with the pictures' }).click()
    await expect.poll(() => field(dialog, 'Valid until').getAttribute('aria-invalid')).toBe('true')
    await field(dialog, 'Valid until').fill('2099-01-30')
    await dialog.getByRole('button', { name: 'Continue with the pictures' }).click()
    for (const [label, type] of [
      ['Face', 'jpeg'],
      ['Front of the document', 'png'],
      ['Back of the document', 'png'],
    ] as const)
      await dialog
        .getByLabel(label)
        .setInputFiles({ name: label, mimeType: `image/${type}`, buffer: Buffer.from(picture(type)) })
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Hand in the pictures' }).click()
    await dialog.getByText('The pictures were handed in.').waitFor()
    await dialog.getByRole('button', { name: 'Close', exact: true }).click()
    await expect.poll(() => page.getByRole('region', { name: 'Ada Contact' }).textContent()).toMatch(/Pending|Approved/)
  })

  test('the holder of a bank account, found by a QR code', async () => {
    const page = await openConsole(await browser.profile(), network, { at: '/accounts' })
    await page.getByRole('button', { name: 'Look up a bank account' }).click()
    const dialog = page.getByRole('dialog', { name: 'Look up a bank account' })
    await dialog.getByLabel('Content of the VietQR code').fill('none')
    await dialog.getByRole('button', { name: 'Look up the account' }).click()
    await expect.poll(() => dialog.getByLabel('Content of the VietQR code').getAttribute('aria-invalid')).toBe('true')
    expect(await accessibilityFaults(page)).toEqual([])
    const [known] = network.sandbox.control.bankAccounts()
    await dialog.getByLabel('Content of the VietQR code').fill(known?.qrContent ?? '')
    await dialog.getByRole('button', { name: 'Look up the account' }).click()
    await expect.poll(() => dialog.locator('.facts').textContent()).toContain(known?.accountName)
  })

  test('nothing without the scope, and says which it is', async () => {
    const page = await openConsole(await browser.profile(), network, { scopes: ['payments:read'], at: '/links' })
    const button = page.getByRole('button', { name: 'New link' })
    await button.waitFor()
    expect(await button.getAttribute('aria-disabled')).toBe('true')
    expect(await page.locator('main').textContent()).toContain('lacks payments:write')
    await button.click({ force: true })
    expect(await page.getByRole('dialog').count()).toBe(0)
  })
})

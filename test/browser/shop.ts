import type { Page } from 'playwright-core'

/** Headlines of an order's page, in English. */
export const HEADLINES = {
  ready: 'Your order is ready to be paid.',
  started: 'Your payment has begun.',
  paid: 'Thank you. Your payment was received.',
  failed: 'Your payment did not go through.',
  expired: 'The time to pay has run out.',
  refunded: 'Your payment was refunded.',
  disputed: 'Your payment is in dispute.',
} as const

/** Waits until the page shows this headline. */
export async function showsHeadline(page: Page, headline: keyof typeof HEADLINES): Promise<void> {
  await page.locator('.headline', { hasText: HEADLINES[headline] }).waitFor()
}

export type OrderOptions = { readonly currency?: string; readonly method?: string }

/** The button that pays, of the checkout and of the hosted page: `Pay KES 1,650.00`, also with a no-break space. */
export const PAY = /^Pay .*\d/

/** Pays for the basket in a currency, with a method's code if given. Returns the payment page, which is a window of its own. */
export async function placeOrder(page: Page, { currency = 'AUD', method }: OrderOptions = {}): Promise<Page> {
  await page.getByLabel('Currency').selectOption(currency)
  await page.locator(`input[value="${method ?? '*'}"]`).check()
  const popup = await openPopup(page, PAY)
  await showsHeadline(page, 'ready')
  await isLive(page)
  return popup
}

/** Does the same, and closes the payment page: the order is ready to be paid. */
export async function placeAndClose(page: Page, options?: OrderOptions): Promise<void> {
  const popup = await placeOrder(page, options)
  await popup.close()
  await page.getByRole('button', { name: PAY }).waitFor()
}

/** Waits until the page of an order follows it. */
export async function isLive(page: Page): Promise<void> {
  await page.locator('[data-connection=live]').waitFor()
}

/** Presses the button that opens the payment page in a new window. Returns that window. */
export async function openPopup(page: Page, name: string | RegExp = PAY): Promise<Page> {
  const [popup] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button', { name }).click()])
  await popup.waitForURL('**/checkout/**')
  return popup
}

/** Puts a thing into the basket, or one more of it. */
export async function add(page: Page, item: string): Promise<void> {
  const first = page.getByRole('button', { name: `Add ${item}` })
  const more = page.getByRole('group', { name: `Quantity of ${item}` }).getByRole('button', { name: 'One more' })
  await first.or(more).click()
}

/** Opens the developer's drawer. */
export async function openDrawer(page: Page): Promise<void> {
  await page.getByText('For developers').click()
}

/** Returns the sequence numbers of the events in the drawer. */
export async function sequencesIn(page: Page): Promise<number[]> {
  const cells = await page.locator('.dev tbody tr td:first-child').allTextContents()
  return cells.map(Number)
}

/** Returns the texts of the customer's buttons, in the order of the page. */
export function actionsIn(page: Page): Promise<string[]> {
  return page
    .locator('.now-card .buttons button')
    .evaluateAll((buttons) =>
      buttons.map((button) => (button.matches(':disabled') ? `${button.textContent} (not yet)` : button.textContent)),
    )
}

import type { Page } from 'playwright-core'

/** Headlines of an order's page, in English. */
export const HEADLINES = {
  ready: 'Your order is ready to be paid.',
  started: 'Your payment has begun.',
  paid: 'Thank you. Your payment was received.',
  failed: 'Your payment did not go through.',
  expired: 'The time to pay is over.',
  refunded: 'Your payment was refunded.',
  disputed: 'Your payment is in dispute.',
} as const

/** Waits until the page shows this headline. */
export async function showsHeadline(page: Page, headline: keyof typeof HEADLINES): Promise<void> {
  await page.locator('.headline', { hasText: HEADLINES[headline] }).waitFor()
}

export type OrderOptions = { readonly currency?: string; readonly method?: string }

/** Orders the basket in a currency, with a method's code if given, and waits for the order's page. */
export async function placeOrder(page: Page, { currency = 'AUD', method }: OrderOptions = {}): Promise<void> {
  await page.getByLabel('Currency').selectOption(currency)
  if (method !== undefined) await page.locator(`input[value="${method}"]`).check()
  await page.getByRole('button', { name: 'Continue to payment' }).click()
  await showsHeadline(page, 'ready')
  await page.locator('.badge.live').waitFor()
}

/** `Pay KES 1,650.00`, also with a no-break space, but not `Pay in this window`. */
export const PAY = /^Pay (?!in)/

/** Presses the button that opens the payment page in a new window. Returns that window. */
export async function openPopup(page: Page, name: string | RegExp = PAY): Promise<Page> {
  const [popup] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button', { name }).click()])
  await popup.waitForLoadState()
  return popup
}

/** Opens the developer's drawer. */
export async function openDrawer(page: Page): Promise<void> {
  await page.getByText('For developers').click()
}

/** Returns the sequence numbers of the events in the drawer. */
export async function sequencesIn(page: Page): Promise<number[]> {
  const cells = await page.locator('.drawer tbody tr td:first-child').allTextContents()
  return cells.map(Number)
}

/** Returns the texts of the customer's buttons, in the order of the page. */
export function actionsIn(page: Page): Promise<string[]> {
  return page
    .locator('.actions button')
    .evaluateAll((buttons) =>
      buttons.map((button) => (button.matches(':disabled') ? `${button.textContent} (not yet)` : button.textContent)),
    )
}

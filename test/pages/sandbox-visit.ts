import type { Locator, Page } from 'playwright-core'

/** Opens a section through its link. */
export async function visit(page: Page, section: string): Promise<void> {
  await page.locator('#content').waitFor()
  // On a phone the navigation is behind a link.
  const menu = page.getByRole('link', { name: 'Open the sections' })
  if (await menu.isVisible()) await menu.click()
  await page
    .getByRole('navigation')
    .getByRole('link', { name: new RegExp(`^${section}( ?\\d+)?$`) })
    .click()
  await page.getByRole('heading', { level: 1, name: section, exact: true }).waitFor()
}

/** Waits until the page shows the result of the last action. */
export async function notice(page: Page, text: string | RegExp): Promise<void> {
  await page.locator('.notice').filter({ hasText: text }).waitFor()
}

/** Returns the table row that contains a text. */
export function rowOf(page: Page, text: string): Locator {
  return page.getByRole('row').filter({ hasText: text })
}

import type { Page } from 'playwright-core'
import type { Scope } from '../../src/access/caller.ts'
import type { Network } from '../support/network.ts'
import type { Profile } from './browser.ts'

export type ConsoleOptions = {
  readonly scopes?: readonly Scope[]
  readonly subject?: string
  readonly ttlSeconds?: number
  /** The view, for example `/payments?phase=FAILED`. */
  readonly at?: string
}

/** Opens the console, signed in with every scope unless `scopes` is given. */
export async function openConsole(
  profile: Profile,
  network: Network,
  { at = '', ...options }: ConsoleOptions = {},
): Promise<Page> {
  await signIn(profile, network, await network.token(options))
  const page = await profile.open(`${network.app.url}/console`)
  await page.locator('.who').waitFor()
  if (at !== '') await goTo(page, at)
  return page
}

/** Signs a profile in, as a sign-in in another tab does. */
async function signIn({ context }: Profile, { app }: Network, token: string): Promise<void> {
  const { hostname, port } = new URL(app.url)
  const rights = { httpOnly: true, sameSite: 'Strict' } as const
  const cookie = { name: `payments-session-${port}`, value: token, domain: hostname, path: '/session', ...rights }
  await context.addCookies([cookie])
}

/** Opens a view of the console through the fragment of the URL, as a shared link does. */
export async function goTo(page: Page, view: string): Promise<void> {
  await page.evaluate((hash) => {
    location.hash = hash
  }, `#${view}`)
}

/** Opens the menu of the user, and signs out. */
export async function signOut(page: Page): Promise<void> {
  await page.locator('.who').click()
  await page.getByRole('button', { name: 'Sign out' }).click()
}

/** Waits until the events arrive live. */
export async function isLive(page: Page): Promise<void> {
  await page.locator('.live', { hasText: 'Live' }).waitFor()
}

/** Opens the popover of a filter. */
export async function openFilter(page: Page, label: string): Promise<void> {
  await page.getByRole('search').getByRole('button', { name: label }).click()
}

/** The address and the title of every view that the navigation leads to. */
export const VIEWS = [
  ['/overview', 'Overview'],
  ['/feed', 'Live events'],
  ['/payments', 'Payments'],
  ['/links', 'Links'],
  ['/agreements', 'Agreements'],
  ['/payouts', 'Payouts'],
  ['/gateway-payments', 'Gateway payments'],
  ['/contacts', 'Contacts'],
  ['/imports', 'Reconciliation'],
  ['/deliveries', 'Webhooks'],
  ['/accounts', 'Accounts'],
  ['/health', 'Health'],
  ['/methods', 'Methods'],
] as const

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
  { open }: Profile,
  network: Network,
  { at = '', ...options }: ConsoleOptions = {},
): Promise<Page> {
  const page = await open(`${network.app.url}/console#token=${await network.token(options)}`)
  await page.getByRole('button', { name: 'Sign in as' }).click()
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  if (at !== '') await goTo(page, at)
  return page
}

/** Opens a view of the console through the fragment of the URL, as a shared link does. */
export async function goTo(page: Page, view: string): Promise<void> {
  await page.evaluate((hash) => {
    location.hash = hash
  }, `#${view}`)
}

/** The address and the title of every view that the navigation leads to. */
export const VIEWS = [
  'Live events',
  'Payments',
  'Links',
  'Agreements',
  'Payouts',
  'Gateway payments',
  'Contacts',
  'Imports',
]
  .concat(['Deliveries', 'Accounts', 'Health', 'Methods'])
  .map((title) => [`/${title === 'Live events' ? 'feed' : title.toLowerCase().replace(' ', '-')}`, title] as const)

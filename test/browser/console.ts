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
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
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

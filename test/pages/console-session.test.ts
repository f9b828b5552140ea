import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { accessibilityFaults, findBrowser } from '../browser/browser.ts'
import { goTo, isLive, openConsole, signOut, VIEWS } from '../browser/console.ts'
import { SECRETS, startNetwork, type Network } from '../support/network.ts'
import { hsToken } from '../unit/access/tokens.ts'

const browser = await findBrowser()
/** Console error of a browser for an answer that rejects the token. */
const REFUSAL = /status of 401/

// promise(http): The console asks before it signs in with a token from a URL.
describe.skipIf(browser.isMissing)('who uses the console', () => {
  let network: Network
  beforeAll(async () => {
    network = await startNetwork()
    return () => network.close()
  })

  const formAt = async (expectedErrors: readonly RegExp[] = []) => {
    const { open } = await browser.profile({ expectedErrors })
    const page = await open(`${network.app.url}/console`)
    const signIn = async (token: string) => {
      await page.getByLabel('Client token').fill(token)
      await page.getByRole('button', { name: 'Sign in' }).click()
    }
    return { page, signIn }
  }

  test('signs in with a token that holds, which tells who they are, what they may do and until when', async () => {
    const { page, signIn } = await formAt([REFUSAL])
    expect(await page.title()).toBe('Sign in · SANDBOX · Payments console')
    expect(await accessibilityFaults(page)).toEqual([])
    for (const [token, sentence] of [
      ['not-a-token', 'This is not a client token'],
      [await network.token({ ttlSeconds: -60 }), 'This token has expired.'],
      [await forgedToken(), 'does not accept this token'],
    ] as const) {
      await signIn(token)
      await page.getByRole('alert').filter({ hasText: sentence }).waitFor()
    }
    await signIn(`Bearer ${await network.token({ subject: 'grace', scopes: ['payments:read', 'payments:risk'] })}`)
    await page.getByText(/^Token expires /).waitFor()
    await page.getByText('grace').click()
    await page.getByText('Scopes of the token').click()
    await expect.poll(() => page.locator('.scopes li').allTextContents()).toEqual(['payments:read', 'payments:risk'])
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('has the scopes of the claims that their issuer uses', async () => {
    const keycloak = await startNetwork({ env: { JWT_SCOPE_CLAIMS: 'realm_access.roles' } })
    onTestFinished(() => keycloak.close())
    const roles = ['offline_access', 'payments:read']
    const exp = Math.floor(Date.now() / 1000) + 600
    const token = hsToken(SECRETS.jwt, { sub: 'grace', exp, scope: 'openid', realm_access: { roles } })
    const { data } = await keycloak.ask('{ payments { nodes { id } } }', {}, { token })
    expect(data).toEqual({ payments: { nodes: [] } })
    const page = await openConsole(await browser.profile(), { ...keycloak, token: async () => token })
    await page.getByText('grace').click()
    await expect.poll(() => page.locator('.scopes li').allTextContents()).toEqual(['payments:read'])
  })

  test('stays signed in over a reload and in every tab, and signs out for good', async () => {
    const profile = await browser.profile()
    const page = await openConsole(profile, network)
    await page.reload()
    await page.locator('.who').waitFor()
    const other = await openConsole(profile, network)
    for (const stored of ['{ ...localStorage }', '{ ...sessionStorage }', 'document.cookie'])
      expect(await other.evaluate(`JSON.stringify(${stored})`)).not.toContain('eyJ')
    await signOut(page)
    await page.reload()
    await page.getByLabel('Client token').waitFor()
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
  })

  test('is signed out when the token ends, with the reason', async () => {
    // A request that is under way when the token ends is answered with 401.
    const profile = await browser.profile({ expectedErrors: [REFUSAL] })
    const page = await openConsole(profile, network, { ttlSeconds: 5 })
    await expect
      .poll(() => page.locator('.note-block, .banner').textContent())
      .toBe('Your token has expired. Sign in with a new one.')
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
  })

  test('sees in every view which scope is missing', async () => {
    const page = await openConsole(await browser.profile(), network, { scopes: [] })
    const seen: string[] = []
    for (const [at, title] of VIEWS) {
      await goTo(page, at === '/methods' ? '/methods?direction=out' : at)
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
      seen.push((await page.locator('.lacks').first().textContent()) ?? '')
    }
    expect(seen).toEqual([
      'Overview: unavailable. The token lacks payments:read.',
      'Live events: unavailable. The token lacks payments:read.',
      'Payments: unavailable. The token lacks payments:read.',
      'Links: unavailable. The token lacks payments:read.',
      'Agreements: unavailable. The token lacks agreements:read.',
      'Payouts: unavailable. The token lacks payouts:read.',
      'Gateway payments: unavailable. The token lacks payments:read.',
      'Contacts: unavailable. The token lacks customers:read.',
      'Reconciliation: unavailable. The token lacks payments:reconcile.',
      'Webhooks: unavailable. The token lacks payments:read.',
      'Accounts: unavailable. The token lacks balances:read.',
      'Health: unavailable. The token lacks payments:read.',
      'Payout methods: unavailable. The token lacks payouts:read.',
    ])
    // The methods of payins need no scope.
    await goTo(page, '/methods')
    await page.getByText('au_card_aud').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('can use it where only trusted documents run', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'trusted-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const manifest = join(folder, 'console.json')
    writeFileSync(manifest, execFileSync(process.execPath, ['scripts/console-documents.ts']))
    const hardened = await startNetwork({ env: { TRUSTED_DOCUMENTS: manifest } })
    onTestFinished(() => hardened.close())
    const page = await openConsole(await browser.profile(), hardened)
    await isLive(page)
    for (const [at, title] of VIEWS) {
      await goTo(page, at)
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
      await page.waitForLoadState('networkidle')
      expect(await page.locator('.note-block, .banner').allTextContents()).toEqual([])
    }
    for (const kind of ['payments', 'links', 'agreements', 'deliveries']) {
      await goTo(page, `/${kind}/NOBODY`)
      await page.getByText(`There are no ${kind} with the id NOBODY here.`).waitFor()
      expect(await page.locator('.note-block, .banner').allTextContents()).toEqual([])
    }
  })

  /** Returns a token with readable claims and an invalid signature. */
  async function forgedToken(): Promise<string> {
    const [head, claims] = (await network.token()).split('.')
    return `${head}.${claims}.${'A'.repeat(43)}`
  }
})

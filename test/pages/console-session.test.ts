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
    await page.goto(`${network.app.url}/console#token=no-token`)
    await page.locator('.note-block', { hasText: 'contains no token, or an expired one' }).waitFor()
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
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

  test('stays signed in over a reload, in this tab alone, and signs out for good', async () => {
    const profile = await browser.profile()
    const page = await openConsole(profile, network)
    // The token is in no address that the browser keeps.
    expect(page.url()).toBe(`${network.app.url}/console`)
    expect(await page.evaluate(() => history.length)).toBeLessThanOrEqual(2)
    await page.reload()
    await page.locator('.who').waitFor()
    expect(await page.evaluate(() => Object.values(localStorage))).toEqual([])
    const other = await profile.open(`${network.app.url}/console`)
    await other.getByLabel('Client token').waitFor()
    await signOut(page)
    await page.reload()
    await page.getByLabel('Client token').waitFor()
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
  })

  test.each(['anew', 'in place'])('is asked before a token in the fragment signs them in (%s)', async (how) => {
    const { page } = await formAt()
    const token = await network.token({ subject: 'mallory' })
    if (how === 'anew') await page.goto('about:blank')
    await (how === 'anew' ? page.goto(`${network.app.url}/console#token=${token}`) : goTo(page, `token=${token}`))
    const dialog = page.getByRole('dialog', { name: 'Sign in?' })
    await expect.poll(() => dialog.textContent()).toContain('a token for mallory')
    expect(await accessibilityFaults(page)).toEqual([])
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
    await page.getByRole('button', { name: 'Do not sign in' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.reload()
    await page.getByLabel('Client token').waitFor()
    expect(page.url()).toBe(`${network.app.url}/console`)
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
  })

  describe('who is signed in and opens an address with the token of somebody else', () => {
    const asks = async (how: 'anew' | 'in place') => {
      const page = await openConsole(await browser.profile(), network, { subject: 'grace' })
      await page.evaluate(() => sessionStorage.setItem('console.refund.P1', '{"of":"grace"}'))
      const token = await network.token({ subject: 'mallory' })
      // Navigation from another page loads the console anew; a link on the page only changes the fragment.
      if (how === 'anew') await page.goto('about:blank')
      const at = `${network.app.url}/console#token=${token}`
      await (how === 'anew' ? page.goto(at) : goTo(page, `token=${token}`))
      const dialog = page.getByRole('dialog', { name: 'Replace your session?' })
      await dialog.waitFor()
      return { page, dialog }
    }
    const identity = '.who .cut'

    test.each(['anew', 'in place'] as const)('is asked, and stays (%s)', async (how) => {
      const { page, dialog } = await asks(how)
      expect(page.url()).toBe(`${network.app.url}/console`)
      await expect.poll(() => dialog.textContent()).toMatch(/signed in as grace, until .+ token for mallory/)
      expect(await accessibilityFaults(page)).toEqual([])
      await page.getByRole('button', { name: 'Stay signed in as grace' }).click()
      await dialog.waitFor({ state: 'detached' })
      await expect.poll(() => page.locator(identity).textContent()).toBe('grace')
      await page.reload()
      await expect.poll(() => page.locator(identity).textContent()).toBe('grace')
      expect(await page.evaluate(() => sessionStorage.getItem('console.refund.P1'))).not.toBeNull()
    })

    test.each(['anew', 'in place'] as const)(
      'is replaced when they say so, with all that was kept (%s)',
      async (how) => {
        const { page } = await asks(how)
        await page.getByRole('button', { name: 'Sign out, and sign in as mallory' }).click()
        await page.locator(identity, { hasText: 'mallory' }).waitFor()
        expect(await page.evaluate(() => sessionStorage.getItem('console.refund.P1'))).toBeNull()
        await page.reload()
        await expect.poll(() => page.locator(identity).textContent()).toBe('mallory')
      },
    )

    test('is not asked about their own token, nor about what is no token', async () => {
      const token = await network.token({ subject: 'grace' })
      const { open } = await browser.profile()
      const page = await open(`${network.app.url}/console#token=${token}`)
      await page.getByRole('button', { name: 'Sign in as grace' }).click()
      for (const given of [token, 'no-token', await network.token({ subject: 'mallory', ttlSeconds: -60 })]) {
        await goTo(page, `token=${given}`)
        await page.waitForURL(`${network.app.url}/console`)
        expect(await page.getByRole('dialog').count()).toBe(0)
        await expect.poll(() => page.locator(identity).textContent()).toBe('grace')
      }
    })
  })

  test('is signed out when the token ends, with the reason', async () => {
    // A request that is under way when the token ends is answered with 401.
    const { open } = await browser.profile({ expectedErrors: [REFUSAL] })
    const page = await open(`${network.app.url}/console#token=${await network.token({ ttlSeconds: 5 })}`)
    await page.getByRole('button', { name: 'Sign in as' }).click()
    await expect
      .poll(() => page.locator('.note-block, .banner').textContent())
      .toBe('Your token has expired. Sign in with a new one.')
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
  })

  test('sees in every view which scope is missing', async () => {
    const page = await openConsole(await browser.profile(), network, { scopes: [] })
    const seen: string[] = []
    for (const [at, title] of VIEWS) {
      await goTo(page, at)
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

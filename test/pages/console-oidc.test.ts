import { beforeAll, describe, expect, test } from 'vitest'
import { accessibilityFaults, findBrowser } from '../browser/browser.ts'
import { signOut } from '../browser/console.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { startOidcIssuer, type OidcIssuer } from '../support/oidc-issuer.ts'

const browser = await findBrowser()

describe.skipIf(browser.isMissing)('who signs in at the issuer of tokens', () => {
  let issuer: OidcIssuer
  let network: Network
  beforeAll(async () => {
    issuer = await startOidcIssuer(['payments:read'])
    network = await startNetwork({ env: issuer.env })
    return async () => {
      await network.close()
      await issuer.close()
    }
  })

  const atForm = async () => {
    const profile = await browser.profile()
    const page = await profile.open(`${network.app.url}/console`)
    const button = page.getByRole('link', { name: 'Sign in', exact: true })
    await button.waitFor()
    return { profile, page, button }
  }

  test('has the session in every tab, after a reload, and in no storage, until they sign out', async () => {
    const { profile, page, button } = await atForm()
    expect(await accessibilityFaults(page)).toEqual([])
    await button.click()
    await page.locator('.who', { hasText: 'grace' }).waitFor()
    expect(page.url()).toBe(`${network.app.url}/console`)
    await page.reload()
    await page.locator('.who', { hasText: 'grace' }).waitFor()
    const other = await profile.open(`${network.app.url}/console`)
    await other.locator('.who', { hasText: 'grace' }).waitFor()
    for (const stored of ['{ ...localStorage }', '{ ...sessionStorage }', 'document.cookie'])
      expect(await other.evaluate(`JSON.stringify(${stored})`)).not.toContain('eyJ')
    const cookies = (await profile.context.cookies()).map(({ name, httpOnly, sameSite }) => [
      name.replace(/-\d+$/, ''),
      httpOnly,
      sameSite,
    ])
    expect(cookies.toSorted(([a], [b]) => String(a).localeCompare(String(b)))).toEqual([
      ['payments-renewal', true, 'Strict'],
      ['payments-session', true, 'Strict'],
    ])
    await signOut(page)
    await page.reload()
    await button.waitFor()
    expect(await profile.context.cookies()).toEqual([])
  })

  test('stays signed in when the token is renewed, once for all tabs', async () => {
    const { profile, page, button } = await atForm()
    issuer.ttlSeconds = 19
    await button.click()
    await page.locator('.who', { hasText: 'grace' }).waitFor()
    const other = await profile.open(`${network.app.url}/console`)
    await other.locator('.who', { hasText: 'grace' }).waitFor()
    issuer.ttlSeconds = 3_600
    const before = issuer.grants.length
    await page.getByText('Token expires in 59 min').waitFor()
    await other.getByText('Token expires in 59 min').waitFor()
    expect(issuer.grants.slice(before)).toEqual(['refresh_token'])
  })

  test.each(['/console#token=', '/session/callback?state=x&code='])(
    'is not signed in by a stranger: %s',
    async (at) => {
      const { profile, page } = await atForm()
      await page.getByRole('link', { name: 'Sign in', exact: true }).click()
      await page.locator('.who', { hasText: 'grace' }).waitFor()
      const cookie = (await profile.context.cookies()).find(({ name }) => name.startsWith('payments-session'))
      const { page: victim } = await atForm()
      await victim.goto('about:blank')
      await victim.goto(`${network.app.url}${at}${cookie?.value}`)
      await victim.getByRole('link', { name: 'Sign in', exact: true }).waitFor()
      expect(await victim.locator('.who').count()).toBe(0)
    },
  )
})

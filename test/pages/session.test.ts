import { beforeAll, describe, expect, test } from 'vitest'
import { accessibilityFaults, findBrowser } from '../browser/browser.ts'
import { startNetwork, type Network } from '../support/network.ts'

const browser = await findBrowser()

describe.skipIf(browser.isMissing)('the link that signs in', () => {
  let network: Network
  beforeAll(async () => {
    network = await startNetwork()
    return () => network.close()
  })

  test('signs in console and explorer of a browser from the start page, once, and leaves no trace', async () => {
    const link = network.app.signInUrl ?? ''
    const { open, context } = await browser.profile()
    // A prefetch asks for the page, and sends no fragment.
    expect((await context.request.get(link)).status()).toBe(200)
    const page = await open(link)
    await page.getByText('This browser is signed in').waitFor()
    expect(page.url()).toBe(`${network.app.url}/`)
    expect(await accessibilityFaults(page)).toEqual([])
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy the token' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^eyJ/)

    const console = await open(`${network.app.url}/console`)
    await console.getByRole('heading', { level: 1 }).waitFor()
    expect(await console.getByLabel('Client token').count()).toBe(0)
    const explorer = await open(`${network.app.url}/graphql`)
    await expect
      .poll(() => explorer.locator('.graphiql-editor-tool').textContent())
      .toMatch(/authorization.*Bearer.*eyJ/)
    for (const one of [page, console, explorer])
      for (const stored of ['{ ...localStorage }', '{ ...sessionStorage }', 'document.cookie'])
        expect(await one.evaluate(`JSON.stringify(${stored})`)).not.toContain('eyJ')

    const stranger = await browser.profile({ expectedErrors: [/401/] })
    const second = await stranger.open(link)
    await second.getByText('This link has been used').waitFor()
  })

  test('is no address with a token, which signs nobody in', async () => {
    const { open } = await browser.profile()
    const page = await open(`${network.app.url}/console#token=${await network.token({ subject: 'mallory' })}`)
    await page.getByLabel('Client token').waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
  })

  test('leads to the guides', async () => {
    const { open } = await browser.profile()
    const page = await open(network.app.url)
    await page.getByText('Nobody is signed in.').waitFor()
    for (const [name, heading] of [
      ['First steps', '# First steps'],
      ['Back end', '# '],
      ['Front end', '# '],
    ] as const) {
      const href = await page.getByRole('link', { name }).getAttribute('href')
      const response = await page.request.get(`${network.app.url}${href}`)
      expect(response.headers()['content-type']).toBe('text/plain; charset=utf-8')
      expect(await response.text()).toContain(heading)
    }
  })
})

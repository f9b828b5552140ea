import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Scope } from '../../src/access/caller.ts'
import { accessibilityFaults, findBrowser, keepPicture } from '../browser/browser.ts'
import { pay } from '../support/checkout.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { gauge } from '../support/streams.ts'

const browser = await findBrowser()

const EXAMPLES = ['PayinMethods', 'CreateLink', 'FollowLink', 'Payments', 'Health', 'CreatePayin', 'SimulatePayin']

describe.skipIf(browser.isMissing)('the explorer', () => {
  let network: Network
  beforeAll(async () => void (network = await startNetwork()))
  afterAll(() => network.close())

  async function giveToken(page: Page, scopes: readonly Scope[]): Promise<void> {
    await write(page, 'headers', JSON.stringify({ authorization: `Bearer ${await network.token({ scopes })}` }))
  }

  test('has examples in tabs that run, speaks to its own host alone, and follows the system from light to dark', async () => {
    const { open, context } = await browser.profile({ colorScheme: 'light' })
    const asked: string[] = []
    context.on('request', (request) => asked.push(request.url()))
    const page = await opened(open, network.app.url)
    expect(await accessibilityFaults(page)).toEqual([])
    const names = await page.locator('.graphiql-tab').allInnerTexts()
    expect(names.map((name) => name.trim())).toEqual(EXAMPLES)
    await textIn(page, 'headers', '// "authorization": "Bearer ')
    await page.getByText('npm run cli -- token "payments:read').waitFor()
    await run(page)
    await textIn(page, 'answer', '"code": "au_card_aud"')
    await keepPicture(page, 'explorer')
    await page.setViewportSize({ width: 390, height: 844 })
    await expect.poll(async () => (await page.locator('.graphiql-response').boundingBox())?.width).toBeGreaterThan(250)
    await page.setViewportSize({ width: 1280, height: 800 })

    await page.emulateMedia({ colorScheme: 'dark' })
    await page.locator('.graphiql-query-editor .monaco-editor.vs-dark').waitFor()
    await page.emulateMedia({ colorScheme: 'light' })
    await page.locator('.graphiql-query-editor .monaco-editor.vs').waitFor()
    expect(asked.length).toBeGreaterThan(10)
    expect(asked.filter((url) => !url.startsWith(`${network.app.url}/`) && !url.startsWith('data:'))).toEqual([])
  })

  test('sends the token of the headers from every tab, over HTTP and over sockets, and forgets it with the page', async () => {
    const { open } = await browser.profile()
    const page = await opened(open, network.app.url)
    await tab(page, 'Health')
    await run(page)
    await textIn(page, 'answer', 'UNAUTHENTICATED')
    await giveToken(page, ['payments:read'])
    await run(page)
    await textIn(page, 'answer', '"availability": "AVAILABLE"')

    const link = await createLink(network)
    await tab(page, 'FollowLink')
    await textIn(page, 'headers', 'Bearer ey')
    await write(page, 'variables', JSON.stringify({ id: link.id }))
    await run(page)
    await textIn(page, 'answer', '"kind": "CAUGHT_UP"')
    await textIn(page, 'answer', '"kind": "SNAPSHOT"')
    await pay(link.checkoutUrl)
    await textIn(page, 'answer', '"toStatus": "received"')
    expect(await gauge(network, 'payments_sockets_open')).toBe(1)
    await page.getByRole('button', { name: 'Stop query' }).click()
    await expect.poll(() => gauge(network, 'payments_sockets_open')).toBe(0)

    await giveToken(page, ['balances:read'])
    await run(page)
    await textIn(page, 'answer', 'NOT_FOUND')
    expect(JSON.stringify(await page.evaluate('({ ...localStorage })'))).not.toContain('Bearer ey')
    await page.reload()
    await textIn(page, 'headers', '// "authorization"')
  })
})

/** CSS selectors of the editors. Of variables and headers only one is visible at a time. */
const AREAS = {
  query: '.graphiql-query-editor',
  answer: '.result-window',
  headers: '.graphiql-editor-tool .graphiql-editor:not(.hidden)',
  variables: '.graphiql-editor-tool .graphiql-editor:not(.hidden)',
} as const

type Area = keyof typeof AREAS

/** Opens the page, and waits until its editors accept input. */
async function opened(open: (url: string) => Promise<Page>, url: string): Promise<Page> {
  const page = await open(`${url}/graphql`)
  await textIn(page, 'query', 'query PayinMethods')
  return page
}

const tab = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const run = (page: Page) => page.getByRole('button', { name: 'Execute query' }).click()

/** Waits until an editor shows a text. */
async function textIn(page: Page, area: Area, text: string): Promise<void> {
  await expect.poll(() => shownIn(page, area)).toContain(withoutBlanks(text))
}

/** Returns an editor's text without white space: a long line is split into several elements. */
async function shownIn(page: Page, area: Area): Promise<string> {
  const lines = await page.locator(`${AREAS[area]} .view-line`).allInnerTexts()
  return withoutBlanks(lines.join(''))
}

const withoutBlanks = (text: string) => text.replaceAll(/\s/g, '')

/**
 * Replaces an editor's text by pasting: to typed text it would add brackets and quotes. It processes pasted text a little later, and not at
 * all if a key is pressed in between.
 */
async function write(page: Page, area: Exclude<Area, 'answer'>, text: string): Promise<void> {
  if (area !== 'query') await page.getByRole('button', { name: area, exact: false }).first().click()
  await page.locator(`${AREAS[area]} .view-lines`).click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`)
  await page.keyboard.press('ControlOrMeta+v')
  await expect.poll(() => shownIn(page, area)).toBe(withoutBlanks(text))
}

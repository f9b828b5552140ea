import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { build, type Rolldown } from 'vite'
import { beforeAll, describe, expect, test } from 'vitest'
import { findBrowser } from '../browser/browser.ts'

const browser = await findBrowser()

/** The hosted page's message, in the format of the payments API. */
const DONE = { event_type: 'onDone', page_state: 'success', redirect_url: { success: 'https://shop.example/ok' } }
const HEARD = {
  event: 'done',
  pageState: 'success',
  redirectUrls: { success: 'https://shop.example/ok', failure: null },
}

type Heard = readonly Record<string, unknown>[]
type Speech = {
  readonly data: unknown
  readonly from: 'popup' | 'frame of the popup' | 'shop' | 'frame of the shop' | 'stranger'
}

describe.skipIf(browser.isMissing)('the hosted page in a window', () => {
  let shop: Site
  let checkout: Site
  let stranger: Site
  beforeAll(async () => {
    const kit = await bundle()
    const shopPage = `<title>Shop</title><button>Pay</button><script type="module">
      import { openCheckout } from '/kit.js'
      window.heard = []
      const { searchParams } = new URL(location.href)
      const messageKey = searchParams.get('key') ?? undefined
      document.querySelector('button').onclick = () => {
        window.checkout = openCheckout(searchParams.get('checkout'), {
          ...(messageKey === undefined ? {} : { messageKey }),
          onMessage: (message) => window.heard.push(message),
        })
        window.checkout.closed.then(() => (document.title = 'closed'))
      }
    </script>`
    shop = await serve((path) => (path === '/kit.js' ? kit : shopPage))
    checkout = await serve(() => '<title>Checkout</title>')
    stranger = await serve(() => '<title>Stranger</title>')
    return async () => void (await Promise.all([shop, checkout, stranger].map((site) => site.close())))
  })

  /** Opens the shop; returns its page, and the function that clicks the button and returns the popup. */
  const openShop = async (search: Record<string, string> = {}) => {
    const { open, context } = await browser.profile()
    const page = await open(
      `${shop.url}/?${new URLSearchParams({ checkout: `${checkout.url}/pay`, ...search }).toString()}`,
    )
    const click = async () => {
      const opened = context.waitForEvent('page')
      await page.getByRole('button').click()
      const popup = await opened
      await popup.waitForLoadState()
      return popup
    }
    return { page, click }
  }
  const heardBy = (page: Page) => page.evaluate<Heard>('window.heard')

  test('opens in the click, says what it has to say, and tells when it is closed', async () => {
    const { page, click } = await openShop()
    const popup = await click()
    expect(popup.url()).toBe(`${checkout.url}/pay`)
    expect(await page.evaluate('window.checkout.mode')).toBe('popup')
    await say(page, popup, { data: { svc_payment_event: DONE }, from: 'popup' })
    await expect.poll(() => heardBy(page)).toEqual([HEARD])
    await popup.close()
    await expect.poll(() => page.title()).toBe('closed')
  })

  test('is closed by the shop', async () => {
    const { page, click } = await openShop()
    const popup = await click()
    const closed = popup.waitForEvent('close')
    await page.evaluate('window.checkout.close()')
    await closed
    expect(await page.title()).toBe('closed')
  })

  test('comes in the place of the shop where popups are blocked', async () => {
    const { page } = await openShop()
    await page.evaluate('window.open = () => null')
    await page.getByRole('button').click()
    await page.waitForURL(`${checkout.url}/pay`)
    expect(await page.title()).toBe('Checkout')
  })

  test('nobody else is heard, and nothing in another form', async () => {
    const { page, click } = await openShop()
    const popup = await click()
    const forged = (who: string) => ({ svc_payment_event: { ...DONE, redirect_url: { success: who } } })
    const speeches: readonly Speech[] = [
      { from: 'shop', data: forged('the shop itself') },
      { from: 'frame of the shop', data: forged('a frame of the same origin as the checkout') },
      { from: 'frame of the popup', data: forged('a frame within the popup') },
      { from: 'popup', data: { svc_payment_event: { ...DONE, event_type: 'onPaid' } } },
      { from: 'popup', data: JSON.stringify(forged('text')) },
      { from: 'popup', data: { other: DONE } },
      { from: 'popup', data: null },
      { from: 'stranger', data: forged('the popup, after it went to another site') },
    ]
    for (const speech of speeches) await say(page, popup, speech)
    await popup.goto(`${checkout.url}/pay`)
    // This later message shows that the earlier ones were ignored.
    await say(page, popup, { from: 'popup', data: { svc_payment_event: { event_type: 'onChange' } } })
    const last = { event: 'change', pageState: null, redirectUrls: { success: null, failure: null } }
    await expect.poll(() => heardBy(page)).toEqual([last])
  })

  test.each([
    ['under its own key', { acme_event: DONE }, 'acme_event'],
    ['under another key of the kind', { acme_payment_event: DONE }, ''],
    [
      'under its own key, although another comes first',
      { x_payment_event: {}, y_payment_event: DONE },
      'y_payment_event',
    ],
  ])('is understood %s', async (_how, data, key) => {
    const { page, click } = await openShop(key === '' ? {} : { key })
    await say(page, await click(), { data, from: 'popup' })
    await expect.poll(() => heardBy(page)).toEqual([HEARD])
  })

  /** Posts a message from a window or frame to the shop. */
  async function say(page: Page, popup: Page, { data, from }: Speech): Promise<void> {
    const text = JSON.stringify(data)
    if (from === 'popup') return popup.evaluate(`window.opener.postMessage(${text}, '*')`)
    if (from === 'shop') return page.evaluate(`window.postMessage(${text}, '*')`)
    if (from === 'stranger') {
      await popup.goto(`${stranger.url}/`)
      return popup.evaluate(`window.opener.postMessage(${text}, '*')`)
    }
    const outer = from === 'frame of the shop' ? page : popup
    await outer.evaluate(
      `new Promise((loaded) => document.body.append(Object.assign(document.createElement('iframe'), { src: '${checkout.url}/frame', onload: loaded })))`,
    )
    const frame = outer.frames().find((one) => one.url().endsWith('/frame'))
    const target = from === 'frame of the shop' ? 'window.parent' : 'window.top.opener'
    return frame?.evaluate(`${target}.postMessage(${text}, '*')`)
  }
})

type Site = { readonly url: string; close(): Promise<unknown> }

/** Starts a server with an origin of its own; `pageAt` returns the body for a path. */
async function serve(pageAt: (path: string) => string): Promise<Site> {
  const server: Server = createServer(({ url = '/' }, response) => {
    const path = url.split('?', 1)[0] ?? '/'
    response.setHeader('content-type', path.endsWith('.js') ? 'text/javascript' : 'text/html')
    // Chromium requests it by itself, and logs an error if it is missing.
    response.end(path === '/favicon.ico' ? '' : pageAt(path))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Returns the client kit, bundled for a browser. */
async function bundle(): Promise<string> {
  const options = { input: 'packages/client/src/open-checkout.ts', preserveEntrySignatures: 'strict' } as const
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    publicDir: false,
    build: { write: false, rolldownOptions: options },
  })
  return [built]
    .flat()
    .flatMap((one) => ('output' in one ? one.output : []))
    .filter((file): file is Rolldown.OutputChunk => file.type === 'chunk')
    .map(({ code }) => code)
    .join('\n')
}

import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, resolve } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { build } from 'vite'
import { beforeAll, describe, expect, test } from 'vitest'
import { findBrowser } from '../browser/browser.ts'
import { snippetsOf, startProgram, typeFaults } from '../guides/snippets.ts'
import { installPacked } from '../package/packed.ts'
import { freePort } from '../support/free-port.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { CREATE_LINK, linkInput } from '../support/operations.ts'

const FILES = snippetsOf('front-end.md')

/** What the templates of frameworks have, and entry points for snippets of the guide that have none. */
const AROUND: Readonly<Record<string, string>> = {
  'vite.html':
    '<!doctype html><html lang="en"><title>Vite</title><div id="root"></div><script type="module" src="./main.tsx"></script>',
  'next.html':
    '<!doctype html><html lang="en"><title>Next</title><div id="root"></div><script type="module" src="./begin-next.tsx"></script>',
  'begin-next.tsx': `import { createRoot } from 'react-dom/client'
    import { renderToString } from 'react-dom/server'
    import Page from './next/app/page.tsx'
    const root = document.getElementById('root') as HTMLElement
    // Rendered as on the server: it must not need a page.
    document.title = renderToString(<Page />)
    createRoot(root).render(<Page />)`,
  'serve-route.ts': `import { createServer } from 'node:http'
    import { POST } from './next/app/orders/route.ts'
    createServer(async (_request, response) => response.end(await (await POST()).text()))
      .listen(Number(process.env['PORT']), '127.0.0.1')`,
  'native.html':
    '<!doctype html><html lang="en"><title>Native</title><div id="root"></div><script type="module" src="./begin-native.ts"></script>',
  'begin-native.ts': `import { AppRegistry } from 'react-native'
    import './native.tsx'
    const initialProps = Object.fromEntries(new URLSearchParams(location.hash.slice(1)))
    AppRegistry.runApplication('Checkout', { initialProps, rootTag: document.getElementById('root') })`,
  'signed-in.html':
    '<!doctype html><html lang="en"><title>Signed in</title><p role="status"></p><script type="module" src="./begin-signed-in.ts"></script>',
  'begin-signed-in.ts': `import { paymentText } from 'payments-subgraph-client/payment-text'
    import { watchPaymentLink } from 'payments-subgraph-client'
    const { id = '', url = '', token = '' } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)))
    for await (const update of watchPaymentLink(id, { url, token: async () => token }))
      if (update.link) (document.querySelector('p') as HTMLElement).textContent = paymentText(update).headline`,
  // The types of React Native come with an app, not with this repository.
  'react-native.d.ts': "declare module 'react-native'",
}

/** Where the guide puts files into a project of Next.js. */
const IN_NEXT: Readonly<Record<string, string>> = {
  'checkout.tsx': 'next/app/checkout.tsx',
  'page.tsx': 'next/app/page.tsx',
  'order.ts': 'next/app/orders/order.ts',
  'route.ts': 'next/app/orders/route.ts',
}

/** The packages that a project of the guide has besides the kit. */
const BESIDE = ['@types', 'react', 'react-dom', 'react-native-web', 'vite']

const READY = 'Waiting for your payment.'
const PAID = 'Payment received. Thank you.'

const browser = await findBrowser()

describe.skipIf(browser.isMissing)('the guide for the front end', () => {
  let network: Network
  let site: Awaited<ReturnType<typeof serveFolder>>
  let folder: string
  /** Where `server.ts` of the guide listens. */
  let port: number
  beforeAll(async () => {
    folder = await installPacked(resolve('packages/client'))
    site = await serveFolder(folder)
    port = await freePort()
    network = await startNetwork({ env: { ALLOWED_ORIGINS: `${site.url},http://127.0.0.1:${port}` } })
    for (const name of BESIDE) symlinkSync(resolve('node_modules', name), join(folder, 'node_modules', name))
    for (const [name, text] of [...FILES, ...Object.entries(AROUND)])
      writeFileSync(join(folder, name), text.replaceAll('http://127.0.0.1:4000/graphql', graphOf(network)))
    for (const [name, path] of Object.entries(IN_NEXT)) cpSync(join(folder, name), join(folder, path))
    return async () => {
      site.close()
      await network.close()
    }
  })

  /** Runs a file of the guide as the back end, until the end of the test. */
  const startBackEnd = async (file: string, at: number) => {
    const token = await network.token({ scopes: ['payments:read', 'payments:write'] })
    startProgram(folder, file, { PAYMENTS_URL: graphOf(network), PAYMENTS_TOKEN: token, PORT: String(at) })
    const url = `http://127.0.0.1:${at}`
    await expect
      .poll(() =>
        fetch(url).then(
          ({ status }) => status,
          () => null,
        ),
      )
      .not.toBeNull()
    return url
  }

  test('is written in sound types', () => {
    const lib = ['ES2024', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable']
    const modules = { jsx: 'react-jsx', module: 'ESNext', moduleResolution: 'Bundler', customConditions: [] }
    expect(typeFaults({ folder }, { lib, ...modules })).toBe('')
    // The template of Next.js does not allow extensions in imports.
    const asNext = { lib, ...modules, allowImportingTsExtensions: false }
    expect(typeFaults({ folder: join(folder, 'next') }, asNext)).toBe('')
  })

  test('needs fifteen lines from the link to the status', () => {
    const [order = '', element = ''] = [
      FILES.get('order.ts'),
      /<payment-status.*>/.exec(FILES.get('index.html') ?? '')?.[0],
    ]
    const lines = [...order.split('\n'), element].filter((line) => line.trim() !== '')
    expect(element).not.toBe('')
    expect(lines.length).toBeLessThanOrEqual(15)
  })

  test('has a page without a build step', async () => {
    const url = await startBackEnd('server.ts', port)
    const { open, context } = await browser.profile()
    expect(await payIn(await open(url), context)).toContain(PAID)
  })

  test.each([
    ['vite.html', 'server.ts', 'Vite'],
    ['next.html', 'served/serve-route.js', '<button>Place the order</button>'],
  ])('has a page of React: %s, with %s', async (page, backEnd, title) => {
    await bundle(folder, page)
    site.backEnd = await startBackEnd(backEnd, await freePort())
    const { open, context } = await browser.profile()
    const opened = await open(`${site.url}/${page}`)
    expect(await opened.title()).toBe(title)
    await opened.getByRole('button', { name: 'Place the order' }).click()
    expect(await payIn(opened, context)).toContain(PAID)
  })

  test('has a screen of React Native', async () => {
    await bundle(folder, 'native.html')
    const { open, context } = await browser.profile()
    const { id, statusToken } = await newLink(network)
    const opened = await open(`${site.url}/native.html#${fragmentOf({ id, statusToken, url: graphOf(network) })}`)
    await payIn(opened, context)
    // Another document, because a change of the fragment alone loads nothing.
    const wrong = fragmentOf({ id, statusToken: 'wrong', url: graphOf(network) })
    const other = await open(`${site.url}/native.html?other#${wrong}`)
    await shows(other, 'This payment link is not valid. Please ask for a new one.')
    expect(await other.getByRole('button').count()).toBe(0)
  })

  test('follows a link with the token of its owner alone', async () => {
    await bundle(folder, 'signed-in.html')
    const { open } = await browser.profile()
    const { id, checkoutUrl } = await newLink(network, { ownerId: 'ada' })
    const token = await network.token({ subject: 'ada', scopes: [] })
    const opened = await open(`${site.url}/signed-in.html#${fragmentOf({ id, token, url: graphOf(network) })}`)
    await shows(opened, READY)
    await payAt(await open(checkoutUrl))
    await shows(opened, PAID)
    expect(await opened.title()).toBe('Signed in')
  })
})

/** Pays as a customer does, from the page that shows the payment. Returns what the page says then. */
async function payIn(page: Page, context: BrowserContext): Promise<string | null> {
  await shows(page, READY)
  await page.getByText('A$125.50', { exact: true }).waitFor()
  const [hosted] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('button', { name: 'Pay A$125.50' }).click(),
  ])
  await payAt(hosted)
  await shows(page, PAID)
  expect(await page.getByRole('button').count()).toBe(0)
  return page.getByRole('status').textContent()
}

const graphOf = ({ app }: Network): string => `${app.url}/graphql`
const fragmentOf = (values: Record<string, string>): string => new URLSearchParams(values).toString()

async function shows(page: Page, text: string): Promise<void> {
  await page.getByRole('status').filter({ hasText: text }).waitFor()
}

async function payAt(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Pay .*\d/ }).click()
}

/** Returns a link as the back end hands it to the page. */
async function newLink(network: Network, over: Record<string, unknown> = {}) {
  type Link = { readonly id: string; readonly statusToken: string; readonly checkoutUrl: string }
  const input = linkInput(over)
  const { data } = await network.ask<{ createPaymentLink: { link: Link } }>(CREATE_LINK, { input })
  return data.createPaymentLink.link
}

/** Builds a page of the project as an app would, and the route handler of Next.js. */
async function bundle(folder: string, page: string): Promise<void> {
  if (page === 'next.html') {
    const served = { ssr: 'serve-route.ts', outDir: join(folder, 'served') }
    await build({ configFile: false, root: folder, logLevel: 'error', build: served })
  }
  await build({
    configFile: false,
    root: folder,
    logLevel: 'error',
    define: { 'process.env': '{}' },
    resolve: { alias: { 'react-native': 'react-native-web' } },
    build: { outDir: join(folder, 'built'), minify: false, rolldownOptions: { input: join(folder, page) } },
  })
}

/** Starts a server for the built pages of a project; it passes orders on to the back end. */
async function serveFolder(folder: string) {
  const served = { url: '', backEnd: '', close: () => void server.close() }
  const types: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' }
  const answer = async ({ method = '', url = '/' }: IncomingMessage, response: ServerResponse) => {
    if (method === 'POST') return response.end(await (await fetch(`${served.backEnd}${url}`, { method })).text())
    const path = new URL(url, 'http://any').pathname
    try {
      const body = readFileSync(join(folder, 'built', path))
      return response.writeHead(200, { 'content-type': types[extname(path)] ?? 'text/plain' }).end(body)
    } catch {
      return response.writeHead(204).end()
    }
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  served.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return served
}

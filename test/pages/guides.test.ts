import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { build, defaultClientConditions } from 'vite'
import { beforeAll, describe, expect, test } from 'vitest'
import { findBrowser } from '../browser/browser.ts'
import { CONDITION, projectOf, typeFaults, type Project } from '../guides/snippets.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { CREATE_LINK, linkInput } from '../support/operations.ts'

const GUIDE = 'front-end.md'

/** Pages and entry points for snippets of the guide that have none. */
const PAGES: Readonly<Record<string, string>> = {
  'react.html': '<!doctype html><html lang="en"><title>React</title><script type="module" src="./react.tsx"></script>',
  'native.html':
    '<!doctype html><html lang="en"><title>Native</title><div id="root"></div><script type="module" src="./begin-native.ts"></script>',
  'begin-native.ts': `import { AppRegistry } from 'react-native'
    import './native.tsx'
    const initialProps = Object.fromEntries(new URLSearchParams(location.hash.slice(1)))
    AppRegistry.runApplication('Checkout', { initialProps, rootTag: document.getElementById('root') })`,
  'signed-in.html':
    '<!doctype html><html lang="en"><title>Signed in</title><p role="status"></p><script type="module" src="./begin-signed-in.ts"></script>',
  'begin-signed-in.ts': `import { follow } from './signed-in.ts'
    import { textOf } from './status.ts'
    const { id, graph, token } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)))
    for await (const { link, payment } of follow(id, graph, async () => token))
      if (link) document.querySelector('p').textContent = textOf(link.state, payment)`,
}

const browser = await findBrowser()

describe.skipIf(browser.isMissing)('the guide for the front end', () => {
  let network: Network
  let site: Awaited<ReturnType<typeof serveFolder>>
  beforeAll(async () => {
    site = await serveFolder()
    network = await startNetwork({ env: { ALLOWED_ORIGINS: site.url } })
    return async () => {
      site.close()
      await network.close()
    }
  })

  test('is written in sound types', () => {
    const project = projectOf(GUIDE, {})
    // The types of React Native come with an app, not with this repository.
    writeFileSync(join(project.folder, 'react-native.d.ts'), "declare module 'react-native'")
    const lib = ['ES2024', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable']
    expect(typeFaults(project, { lib, jsx: 'react-jsx', module: 'ESNext', moduleResolution: 'Bundler' })).toBe('')
  })

  test.each(['index.html', 'react.html', 'native.html'])('has a page that follows a payment: %s', async (page) => {
    site.folder = await bundle(projectOf(GUIDE, {}), page)
    const { open, context } = await browser.profile()
    const { id, statusToken } = await newLink(network)
    const opened = await open(`${site.url}/${page}#${fragmentOf({ id, statusToken, graph: graphOf(network) })}`)
    await shows(opened, 'Waiting for you to pay.')
    await expect.poll(() => opened.textContent('body')).toContain('A$125.50')
    await payAt(await hostedPage(context, opened))
    await shows(opened, 'Paid. Thank you.')
    expect(await opened.getByRole('button', { name: 'Pay' }).count()).toBe(0)

    // Another document, because a change of the fragment alone loads nothing.
    const other = await open(
      `${site.url}/${page}?other#${fragmentOf({ id, statusToken: 'wrong', graph: graphOf(network) })}`,
    )
    await shows(other, 'This link is not known. Ask for a new one.')
    expect(await other.getByRole('button', { name: 'Pay' }).count()).toBe(0)
  })

  test('follows a link with the token of its owner alone', async () => {
    site.folder = await bundle(projectOf(GUIDE, {}), 'signed-in.html')
    const { open } = await browser.profile()
    const { id, checkoutUrl } = await newLink(network, { ownerId: 'ada' })
    const token = await network.token({ subject: 'ada', scopes: [] })
    const opened = await open(`${site.url}/signed-in.html#${fragmentOf({ id, token, graph: graphOf(network) })}`)
    await shows(opened, 'Waiting for you to pay.')
    await payAt(await open(checkoutUrl))
    await shows(opened, 'Paid. Thank you.')
    expect(await opened.title()).toBe('Signed in')
  })
})

const graphOf = ({ app }: Network): string => `${app.url}/graphql`
const fragmentOf = (values: Record<string, string>): string => new URLSearchParams(values).toString()

async function shows(page: Page, text: string): Promise<void> {
  await page
    .getByRole('status')
    .filter({ hasText: text })
    .or(page.getByText(text, { exact: true }))
    .first()
    .waitFor()
}

/** Clicks the button and returns the page that opens. */
async function hostedPage(context: BrowserContext, page: Page): Promise<Page> {
  const [popup] = await Promise.all([context.waitForEvent('page'), page.getByRole('button', { name: 'Pay' }).click()])
  return popup
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

/** Builds a page of a project as an app would. Returns the folder of the output. */
async function bundle({ folder }: Project, page: string): Promise<string> {
  for (const [name, text] of Object.entries(PAGES)) writeFileSync(join(folder, name), text)
  const outDir = join(folder, 'built')
  await build({
    configFile: false,
    root: folder,
    logLevel: 'error',
    resolve: { alias: { 'react-native': 'react-native-web' }, conditions: [CONDITION, ...defaultClientConditions] },
    build: { outDir, minify: false, rolldownOptions: { input: join(folder, page) } },
  })
  return outDir
}

/** Starts a server for `folder`, which can be changed later. */
async function serveFolder() {
  const served = { url: '', folder: '', close: () => void server.close() }
  const types: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' }
  const server = createServer(({ url = '/' }, response) => {
    const path = new URL(url, 'http://any').pathname
    try {
      const body = readFileSync(join(served.folder, path))
      response.writeHead(200, { 'content-type': types[extname(path)] ?? 'text/plain' }).end(body)
    } catch {
      response.writeHead(204).end()
    }
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  served.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return served
}

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { build, type Rolldown } from 'vite'
import { beforeAll, describe, expect, test } from 'vitest'
import { accessibilityFaults, findBrowser, GONE } from '../browser/browser.ts'
import { createAgreement, NO_ANSWER } from '../support/agreements.ts'
import { pay } from '../support/checkout.ts'
import { payoutInput } from '../support/inputs.ts'
import { made, mutate } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { BY_HAND } from '../support/payins.ts'

const browser = await findBrowser()

/** Follows an agreement, a payout and nothing with the hooks, and starts the payout's watch again with the id that a click gives. */
const HOOKS = `import { createElement as h, StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { useAgreement, usePayment, usePayout } from '${resolve('packages/client/src/react.ts')}'
function Records({ url, token, agreementId, payoutId }) {
  const [id, setId] = useState(null)
  const { agreement } = useAgreement(agreementId, { url, token: () => token })
  const { payout, error } = usePayout(id, { url, token: () => token })
  const { payment, connection } = usePayment(null, { url, token: () => token })
  return h('main', null,
    h('p', { id: 'agreement' }, agreement?.status),
    h('p', { id: 'payout' }, error?.code ?? payout?.status),
    h('p', { id: 'payment' }, String(payment) + ' ' + connection),
    h('button', { onClick: () => setId(payoutId) }, 'Follow'), h('button', { onClick: () => setId('none') }, 'Follow none'))
}
globalThis.start = (props) => createRoot(document.body.appendChild(document.createElement('div')))
  .render(h(StrictMode, null, h(Records, props)))`

/** Bundles a module; one that starts with `import` is given by its text. */
async function bundle(source: string): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    define: { 'process.env.NODE_ENV': '"development"' },
    plugins: [
      {
        name: 'text',
        resolveId: (id) => (id === 'text' ? resolve('packages/client/text.js') : null),
        load: (id) => (id === resolve('packages/client/text.js') ? source : null),
      },
    ],
    build: { write: false, rolldownOptions: { input: 'text', preserveEntrySignatures: 'strict' } },
  })
  const [chunk] = [built].flat().flatMap((one) => ('output' in one ? (one.output as Rolldown.OutputChunk[]) : []))
  return chunk?.code ?? ''
}

describe.skipIf(browser.isMissing)('<payment-status>', () => {
  let network: Network
  let site: { readonly url: string; readonly close: () => void }
  let refused: typeof site
  beforeAll(async () => {
    const kit = await bundle(`export * from '${resolve('packages/client/src/standalone.ts')}'`)
    const scripts: Readonly<Record<string, string>> = { '/kit.js': kit, '/hooks.js': await bundle(HOOKS) }
    site = await serve(scripts)
    refused = await serve(scripts)
    network = await startNetwork({ env: { ALLOWED_ORIGINS: site.url }, sandbox: { ...BY_HAND, ...NO_ANSWER } })
    return async () => {
      site.close()
      refused.close()
      await network.close()
    }
  })
  const url = () => `${network.app.url}/graphql`

  test('shows a payment from the link to the money, in the language and with the colours of the page', async () => {
    const { open } = await browser.profile({ locale: 'de' })
    const { id, statusToken, checkoutUrl } = await createLink(network)
    const page = await open(
      `${site.url}/?${new URLSearchParams({ lang: 'ja', link: id, 'status-token': statusToken, url: url() })}`,
    )
    await page.getByRole('status').filter({ hasText: 'お支払いをお待ちしています。' }).waitFor()
    const button = page.getByRole('button', { name: 'を支払う' })
    expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44)
    expect(await accessibilityFaults(page)).toEqual([])
    await page.addStyleTag({ content: 'payment-status { --payment-accent: rgb(1, 2, 3) }' })
    expect(await button.evaluate((node) => getComputedStyle(node).backgroundColor)).toBe('rgb(1, 2, 3)')
    await page.evaluate("document.documentElement.lang = 'fr'; document.querySelector('payment-status').lang = 'fr'")
    await page.getByText('En attente de votre paiement.').waitFor()

    // From the right to the left the mark is on the right of the text.
    await page.evaluate("document.documentElement.dir = 'rtl'")
    const [mark, headline] = await Promise.all(
      ['mark', 'headline'].map((part) => page.locator(`[part=${part}]`).boundingBox()),
    )
    expect(mark?.x).toBeGreaterThan(headline?.x ?? Infinity)
    await pay(checkoutUrl)
    await network.sandbox.control.advance((10 * BY_HAND.paceMs) / 1000)
    await page.getByRole('status').filter({ hasText: 'Paiement reçu. Merci.' }).waitFor()
    expect(await page.getByRole('button').count()).toBe(0)
    expect(await changesOf(page)).toBeGreaterThan(1)
  })

  test.each([
    ['a refused origin', () => ({ at: refused.url, url: url() }), 'NETWORK', `its ALLOWED_ORIGINS has `],
    ['a server that is not there', () => ({ at: site.url, url: 'http://127.0.0.1:1/graphql' }), 'NETWORK', 'No answer'],
    ['an empty URL', () => ({ at: site.url, url: '' }), 'INVALID_URL', '`url` must be'],
    ['a page in place of the graph', () => ({ at: site.url, url: `${site.url}/any` }), 'BAD_RESPONSE', 'check `url`'],
    ['a wrong token', () => ({ at: site.url, url: url() }), 'NOT_FOUND', ''],
  ])('tells once what is wrong: %s', async (_what, where, code, message) => {
    const { open, context } = await browser.profile({
      expectedErrors: [GONE, /CORS|ERR_FAILED|404|PaymentsClientError|UNSAFE_PORT/],
    })
    let logged = 0
    context.on('console', () => (logged += 1))
    const { id } = await createLink(network)
    const given = where()
    const page = await open(
      `${given.at}/?${new URLSearchParams({ link: id, 'status-token': 'wrong', url: given.url })}`,
    )
    const told =
      code === 'NOT_FOUND' ? 'This payment link is not valid.' : 'The status of the payment cannot be loaded.'
    await page.getByRole('status').filter({ hasText: told }).waitFor()
    const errors = await page.evaluate<{ code: string; message: string }[]>('errors')
    expect(errors).toEqual([{ code, message: expect.stringContaining(message) as string }])
    expect(await page.evaluate<number>('reported')).toBe(1)
    // The browser logs each request that failed, those of a refused origin twice.
    expect(logged).toBeLessThanOrEqual(15)
    const again = page.getByRole('button', { name: 'Try again' })
    expect(await again.count()).toBe(code === 'NETWORK' ? 1 : 0)
    if (code !== 'NETWORK') return
    await again.click()
    await page.getByRole('status').filter({ hasText: told }).waitFor()
    await expect.poll(() => page.evaluate('errors.length')).toBe(2)
  })

  test('the hooks of React follow an agreement and a payout', async () => {
    const { open } = await browser.profile()
    const agreement = await createAgreement(network)
    const { id: payoutId } = await made(mutate(network, 'createPayout', payoutInput()), 'payout')
    const token = await network.token({ scopes: ['agreements:read', 'payouts:read'] })
    const page = await open(`${site.url}/`)
    const props = JSON.stringify({ url: url(), token, agreementId: agreement.id, payoutId })
    await page.evaluate(`import('/hooks.js').then(() => start(${props}))`)
    const shows = (name: string, text: string) => page.locator(`#${name}`, { hasText: text }).waitFor()
    await shows('agreement', 'CREATED')
    await shows('payment', 'null connecting')
    expect(await page.textContent('#payout')).toBe('')
    await page.getByRole('button', { name: 'Follow', exact: true }).click()
    await shows('payout', 'CREATED')
    await network.sandbox.control.setAgreementStatus(agreement.serviceId, 'active')
    await shows('agreement', 'ACTIVE')
    await network.sandbox.control.setPayoutStatus(payoutId, 'completed')
    await shows('payout', 'COMPLETED')
    await page.getByRole('button', { name: 'Follow none' }).click()
    await shows('payout', 'NOT_FOUND')
    expect(await page.textContent('#agreement')).toBe('ACTIVE')
  })
})

const changesOf = (page: Page) => page.evaluate<number>('changes')

/** Starts a server for a page whose element has the attributes of its address; `lang` is that of the page. */
async function serve(scripts: Readonly<Record<string, string>>) {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://any')
    const script = scripts[pathname]
    if (script !== undefined) return response.setHeader('content-type', 'text/javascript').end(script)
    if (pathname !== '/') return response.writeHead(404, { 'content-type': 'text/html' }).end('<p>Nothing</p>')
    const lang = searchParams.get('lang') ?? 'en'
    searchParams.delete('lang')
    const attributes = Array.from(searchParams, ([name, value]) => `${name}="${value.replaceAll('"', '&quot;')}"`)
    return response.setHeader('content-type', 'text/html').end(`<!doctype html><html lang="${lang}"><title>Order</title>
      <main><h1>Order</h1><payment-status ${attributes.join(' ')}></payment-status></main>
      <script>
        var changes = 0, reported = 0, errors = []
        addEventListener('payment-change', () => changes++)
        addEventListener('payment-error', ({ detail: { code, message } }) => errors.push({ code, message }))
        addEventListener('error', () => reported++)
      </script><link rel="icon" href="data:," /><script type="module" src="/kit.js"></script></html>`)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() }
}

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { addPages, isBuilt } from '../../src/http/pages/pages.ts'
import { startMessage } from '../../src/start-message.ts'
import { configFor, settingsFor } from '../support/app-settings.ts'
import { PRODUCTION, startNetwork, type Network } from '../support/network.ts'
import { send, type Reply } from '../support/webhooks.ts'

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
const EXPLORER_POLICY = `${POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")}; worker-src 'self'`

const PAGES: readonly [path: string, policy: string][] = [
  ['/', POLICY],
  // The pictures of methods are the sandbox's.
  ['/shop', POLICY.replace('data:', 'data: SANDBOX')],
  ['/console', POLICY],
  ['/console/design', POLICY],
  ['/graphql', EXPLORER_POLICY],
]

let network: Network
beforeAll(async () => void (network = await startNetwork()))
afterAll(() => network.close())

/** Sends a request with exactly this path: `fetch` would normalize it. */
const ask = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Reply> =>
  send(`${network.app.url}${path}`, { method, headers })

// promise(http): Pages run only their own script files, and connect to no other host.
describe('a page', () => {
  it.each(PAGES)('at %s says what it may load, and is asked for anew each time', async (path, policy) => {
    const { status, headers, body } = await ask(path, BROWSER)
    expect(status).toBe(200)
    expect(body).toMatch(/^<!doctype html>/)
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy.replace('SANDBOX', network.sandbox.origin),
      'cache-control': 'no-cache',
      'cross-origin-opener-policy': 'same-origin-allow-popups',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    })
  })

  it.each(PAGES)('at %s runs nothing that stands in it, and nothing of another host', async (path, policy) => {
    const { body } = await ask(path, BROWSER)
    expect(policy).not.toMatch(/script-src[^;]*'unsafe|https?:/)
    expect(body).not.toMatch(/<style|style=|\son\w+=/)
    expect([...body.matchAll(/<script\b(?![^>]*\bsrc=)/g)]).toEqual([])
    const addresses = [...body.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address = '']) => address)
    expect(addresses.filter((address) => !/^(?:\/(?!\/)|data:,$|#|\.)/.test(address))).toEqual([])
  })

  it('is not sent to a program that asks at the same address', async () => {
    const { status, headers } = await ask('/graphql', { accept: 'application/json' })
    expect(status).toBe(400)
    expect(headers['content-type']).toMatch(/^application\/(?:json|graphql-response\+json)/)
    const query = `/graphql?query=${encodeURIComponent('{ __typename }')}`
    const answer = await ask(query, { ...BROWSER, 'apollo-require-preflight': '1' })
    expect(JSON.parse(answer.body)).toEqual({ data: { __typename: 'Query' } })
  })

  it('is there for HEAD too, without its body', async () => {
    for (const path of ['/', '/console']) {
      const { status, body, headers } = await ask(path, BROWSER, 'HEAD')
      expect({ status, body }).toEqual({ status: 200, body: '' })
      expect(headers['content-security-policy']).toBe(POLICY)
    }
  })
})

describe('a file of a page', () => {
  const files = readdirSync('dist/web/assets')
  const script = files.find((name) => /^explorer-.*\.js$/.test(name)) ?? ''
  const content = readFileSync(`dist/web/assets/${script}`)

  it('may be kept for good, since its name changes with it', async () => {
    const { status, headers } = await ask(`/assets/${script}`)
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'text/javascript',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    })
    const again = await ask(`/assets/${script}`, { 'if-none-match': String(headers['etag']) })
    expect({ status: again.status, body: again.body }).toEqual({ status: 304, body: '' })
  })

  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('comes compressed with %s to whoever takes that', async (encoding, decompress) => {
    const response = await fetch(`${network.app.url}/assets/${script}`, { headers: { 'accept-encoding': encoding } })
    expect(response.headers.get('content-encoding')).toBe(encoding)
    expect(response.headers.get('vary')?.toLowerCase()).toContain('accept-encoding')
    expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true)
    const packed = readFileSync(`dist/web/assets/${script}.${encoding === 'br' ? 'br' : 'gz'}`)
    expect(decompress(packed).equals(content)).toBe(true)
    expect(Number(response.headers.get('content-length'))).toBe(packed.length)
  })

  it('comes as it is to whoever takes nothing else', async () => {
    const { headers } = await ask(`/assets/${script}`, { 'accept-encoding': 'identity' })
    expect(headers).not.toHaveProperty('content-encoding')
    expect(Number(headers['content-length'])).toBe(content.length)
  })

  it('is there for HEAD too, without its body', async () => {
    const { status, body } = await ask(`/assets/${script}`, {}, 'HEAD')
    expect({ status, body }).toEqual({ status: 200, body: '' })
  })

  it.each([
    '/assets/none.js',
    '/assets/',
    '/assets/../index.html',
    '/assets/../../../package.json',
    '/assets/..%2f..%2f..%2fpackage.json',
    '/assets/%2e%2e/%2e%2e/%2e%2e/package.json',
    '/assets/%2e%2e%2f.vite/manifest.json',
    '/assets//etc/passwd',
    '/assets/.vite/manifest.json',
    '/.vite/manifest.json',
  ])('at %s is none', async (path) => {
    const { status, body } = await ask(path, BROWSER)
    expect(status).toBe(404)
    expect(body).toContain('<h1>Page not found</h1>')
    const forPrograms = await ask(path, {})
    expect(forPrograms.status).toBe(404)
    expect(JSON.parse(forPrograms.body)).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] })
  })
})

describe('the explorer', () => {
  it('is not there in production, nor are the pages of the sandbox', async () => {
    const production = await startNetwork({ env: PRODUCTION })
    onTestFinished(() => production.close())
    const statusOf = async (path: string) =>
      (await send(`${production.app.url}${path}`, { method: 'GET', headers: BROWSER })).status
    expect(await statusOf('/graphql')).toBe(400)
    expect(await statusOf('/')).toBe(404)
    expect(await statusOf('/shop')).toBe(404)
    expect(await statusOf('/console/design')).toBe(404)
    expect(await statusOf('/console')).toBe(200)
  })
})

describe('the console', () => {
  it.each(['sandbox', 'production'])('says in which environment it is: %s', async (environment) => {
    const one = await startNetwork({ env: { ...PRODUCTION, UPSTREAM_ENVIRONMENT: environment } })
    onTestFinished(() => one.close())
    const { body } = await send(`${one.app.url}/console`, { method: 'GET', headers: BROWSER })
    expect(body).toContain(`<html lang="en" data-environment="${environment}">`)
  })
})

describe('without built pages', () => {
  const unreachable = () => expect.unreachable()

  it('nothing is served, and the start says how to build them', async () => {
    const folder = join(tmpdir(), 'no-pages-here')
    const http = { send: unreachable, headersFor: unreachable, cutUnread: unreachable, route: unreachable }
    expect(addPages(http, null, folder)).toBeNull()
    expect(isBuilt('console', folder)).toBe(false)
  })

  it('the start message tells of it, and is silent where they are', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'payments-pages-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    mkdirSync(join(folder, 'web/console'), { recursive: true })
    const config = configFor(settingsFor({ folder, port: '0', sandbox: network.sandbox, options: {} }))
    const hint = '`npm run build:web`'
    const options = { url: 'http://127.0.0.1:1', signInUrl: null, builtInSandbox: true }
    expect(await startMessage(config, { ...options, pages: join(folder, 'none') })).toContain(hint)
    expect(await startMessage(config, { ...options, pages: join(folder, 'web') })).not.toContain(hint)
  })
})

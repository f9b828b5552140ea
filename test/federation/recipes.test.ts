import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join, relative } from 'node:path'
import { transformSupergraphToPublicSchema } from '@theguild/federation-composition'
import { parse } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseDocument } from 'yaml'
import { parseConfig } from '../../src/config.ts'
import { SETTING_NAMES } from '../../src/config/reading.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { greetedSocket } from '../support/socket.ts'

const root = join(import.meta.dirname, '../..')
const folder = join(root, 'docs/federation')
const names = readdirSync(folder).filter((name) => /\.(?:yaml|ts)$/.test(name))
const text = (name: string) => readFileSync(join(folder, name), 'utf8')
const page = readFileSync(join(root, 'docs/federation.md'), 'utf8')

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly files: readonly string[]
  readonly scripts: object
  readonly exports: object
}

const ROUTER_SECRET = 'secret-of-the-router-1'

/** Returns a value of a YAML file, by its path of keys. */
function valueAt(name: string, path: readonly (string | number)[]): unknown {
  return parseDocument(text(name)).getIn(path)
}

describe.each(names.filter((name) => name.endsWith('.yaml')))('docs/federation/%s', (name) => {
  it('is YAML without an error, a warning or a key twice', () => {
    const { errors, warnings } = parseDocument(text(name), { strict: true, uniqueKeys: true })
    expect([...errors, ...warnings].map(({ message }) => message)).toEqual([])
  })

  it('names files that exist in the package', () => {
    const files = [...text(name).matchAll(/file: (\S+)/g)].map(([, file = '']) => relative(root, join(folder, file)))
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
    expect(files.filter((file) => !manifest.files.some((entry) => `${file}/`.startsWith(`${entry}/`)))).toEqual([])
  })
})

describe('docs/federation/gateway.config.ts', () => {
  it('is TypeScript that erases', () => {
    expect(() => stripTypeScriptTypes(text('gateway.config.ts'))).not.toThrow()
  })
})

/** The path of the subgraph's sockets in each recipe. */
const SOCKET_PATHS: Readonly<Record<string, () => unknown>> = {
  'apollo-router.yaml': () =>
    valueAt('apollo-router.yaml', ['subscription', 'mode', 'passthrough', 'subgraphs', 'payments', 'path']),
  'hive-router.config.yaml': () =>
    valueAt('hive-router.config.yaml', ['subscriptions', 'websocket', 'subgraphs', 'payments', 'path']),
  'gateway.config.ts': () => /location: '(.+)'/.exec(text('gateway.config.ts'))?.[1],
  'cosmo-compose.yaml': () =>
    new URL(String(valueAt('cosmo-compose.yaml', ['subgraphs', 0, 'subscription', 'url']))).pathname,
}

/** The header of the router's secret in each recipe. */
const SECRET_HEADERS: Readonly<Record<string, () => unknown>> = {
  'apollo-router.yaml': () =>
    valueAt('apollo-router.yaml', ['headers', 'subgraphs', 'payments', 'request', 0, 'insert', 'name']),
  'hive-router.config.yaml': () =>
    valueAt('hive-router.config.yaml', ['headers', 'subgraphs', 'payments', 'request', 0, 'insert', 'name']),
  'gateway.config.ts': () => /headers\['(x-[\w-]+)'\]/.exec(text('gateway.config.ts'))?.[1],
  'cosmo-router.yaml': () => valueAt('cosmo-router.yaml', ['headers', 'subgraphs', 'payments', 'request', 0, 'name']),
}

describe('what the recipes say of the subgraph', () => {
  let network: Network
  beforeAll(async () => void (network = await startNetwork({ env: { ROUTER_SECRETS: ROUTER_SECRET } })))
  afterAll(() => network.close())

  it.each(Object.entries(SOCKET_PATHS))('a socket opens at the path that %s gives', async (_name, pathOf) => {
    const url = new URL(String(pathOf()), network.app.url)
    const socket = await greetedSocket(url.origin, { token: `Bearer ${await network.token()}` })
    socket.send({ id: '1', type: 'subscribe', payload: { query: '{ payments(first: 1) { nodes { id } } }' } })
    expect(url.pathname).toBe('/graphql')
    expect(await socket.next()).toMatchObject({ type: 'next', payload: { data: { payments: { nodes: [] } } } })
    socket.close()
  })

  it.each(Object.entries(SECRET_HEADERS))(
    'the router is known by the header that %s sends',
    async (_name, headerOf) => {
      const query = '{ _service { sdl } }'
      const known = await network.ask(query, {}, { headers: { [String(headerOf())]: ROUTER_SECRET } })
      expect(known.errors).toBeUndefined()
      expect((await network.ask(query)).errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }])
    },
  )

  it('server-sent events come from the address that the page gives', async () => {
    const url = new URL(/http:\/\/127\.0\.0\.1:4000(\/graphql\/\w+)/.exec(page)?.[1] ?? '', network.app.url)
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query: '{ __typename }' }),
    })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    expect(await response.text()).toContain('"__typename":"Query"')
  })

  it('the router is called back at an address of the origin that its recipe allows', () => {
    const callback = (key: string) => valueAt('apollo-router.callback.yaml', ['subscription', 'mode', 'callback', key])
    const url = new URL(String(callback('public_url')))
    expect(text('apollo-router.callback.yaml')).toContain(`CALLBACK_ORIGINS=${url.origin}\n`)
    expect(url.pathname).toBe(callback('path'))
    expect(new Set<string>(SETTING_NAMES)).toContain('CALLBACK_ORIGINS')
  })

  it('requests go where it listens by default', () => {
    const urls = names.flatMap((name) => [...text(name).matchAll(/http:\/\/127\.0\.0\.1:4000\S*/g)].map(([url]) => url))
    expect(new Set(urls)).toEqual(new Set(['http://127.0.0.1:4000/graphql']))
    expect(valueAt('supergraph.yaml', ['subgraphs', 'payments', 'routing_url'])).toBe(urls[0])
  })

  it('a router lets no operation through that the subgraph would refuse for its size', () => {
    const result = parseConfig({})
    if (!result.ok) throw new Error('The defaults do not parse.')
    const { tokens, depth, aliases, rootFields, directives, cost, bodyBytes } = result.config.limits
    const apollo = (...path: string[]) => valueAt('apollo-router.yaml', path)
    expect(apollo('limits', 'parser_max_tokens')).toBe(tokens)
    expect(apollo('limits', 'max_depth')).toBe(depth)
    expect(apollo('limits', 'max_aliases')).toBe(aliases)
    expect(apollo('limits', 'max_root_fields')).toBe(rootFields)
    expect(apollo('limits', 'http_max_request_bytes')).toBe(bodyBytes)
    expect(apollo('demand_control', 'strategy', 'static_estimated', 'max')).toBe(cost)
    const hive = (limit: string) => valueAt('hive-router.config.yaml', ['limits', limit, 'n'])
    expect([hive('max_tokens'), hive('max_depth'), hive('max_aliases'), hive('max_directives')]).toEqual([
      tokens,
      depth,
      aliases,
      directives,
    ])
  })

  it('no router asks everybody for a token', () => {
    for (const path of [['authorization', 'require_authentication']])
      for (const name of ['apollo-router.yaml', 'cosmo-router.yaml']) expect(valueAt(name, path)).toBe(false)
    expect(valueAt('hive-router.config.yaml', ['jwt', 'require_authentication'])).toBe(false)
  })
})

describe('docs/federation.md', () => {
  it('names only settings that exist, besides the routers’ own', () => {
    const named = [...page.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, name = '']) => name)
    const known: ReadonlySet<string> = new Set([...SETTING_NAMES, 'ROUTER_SECRET', 'JWT_SECRET', 'CALLBACK_URL'])
    expect(named.length).toBeGreaterThan(0)
    expect(named.filter((name) => !known.has(name))).toEqual([])
  })

  it('names only npm scripts that exist, and every file of its folder', () => {
    const named = [...page.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, name = '']) => name)
    expect(named.filter((name) => !(name in manifest.scripts))).toEqual([])
    expect(names.filter((name) => !page.includes(`federation/${name}`))).toEqual([])
    const exported = [...page.matchAll(/`payments-subgraph(\/[\w./-]+)`/g)].map(([, path = '']) => `.${path}`)
    expect(exported.length).toBeGreaterThan(1)
    expect(exported.filter((path) => !(path in manifest.exports))).toEqual([])
  })

  it('composes the example supergraph, which keeps costs and scopes', () => {
    const { stdout, status } = spawnSync(process.execPath, [join(root, 'scripts/supergraph.ts')], { encoding: 'utf8' })
    expect(status).toBe(0)
    expect(stdout).toContain('PAYMENTS @join__graph(name: "payments", url: "http://127.0.0.1:4000/graphql")')
    expect(stdout).toMatch(/refundPayment[\s\S]{0,300}@requiresScopes\(scopes: \[\["payments:refund"\]\]\)/)
    const { definitions } = transformSupergraphToPublicSchema(parse(stdout))
    expect(definitions.length).toBeGreaterThan(100)
  })
})

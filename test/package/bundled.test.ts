import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { getIntrospectionQuery, graphql, validateSchema } from 'graphql'
import { describe, expect, onTestFinished, test } from 'vitest'
import { NOTICES, packagesIn, PROGRAM_NOTICES } from '../../scripts/notices.ts'
import { createSchema } from '../../src/graphql/schema/schema.ts'
import { startSandbox } from '../../src/sandbox/index.ts'
import { startJwksServer } from '../e2e/access/jwks-server.ts'
import { startCallbackRouter } from '../support/callback-router.ts'
import { mayShip } from '../support/licences.ts'
import { token } from '../support/network.ts'
import { settingsFor, startReady, temporaryFolder } from '../support/process.ts'
import { CLAIMS, issuerKey, rsToken } from '../unit/access/tokens.ts'

const notices = readFileSync(NOTICES, 'utf8')
const inPages = packagesIn(notices)
const programNotices = readFileSync(PROGRAM_NOTICES, 'utf8')
const inProgram = packagesIn(programNotices)
const bundled = [...inPages, ...inProgram]

describe('what is in the pages and in the program', () => {
  test('is under licences that allow it to ship', () => {
    expect(inPages.length).toBeGreaterThan(50)
    expect(inProgram.length).toBeGreaterThan(50)
    expect(bundled.filter(({ licence }) => !mayShip(licence))).toStrictEqual([])
  })

  test('is known, also of the workers, and of what a package has taken in of others', () => {
    const names = new Set(inPages.map(({ name }) => name))
    for (const name of ['preact', 'react', 'graphiql', 'monaco-editor', 'picomatch-browser'])
      expect(names).toContain(name)
    const programNames = new Set(inProgram.map(({ name }) => name))
    for (const name of ['graphql', 'fastify', 'kysely', 'pg', 'ioredis', '@apollo/server'])
      expect(programNames).toContain(name)
    expect(readdirSync('dist/web/assets').filter((file) => /worker.*\.js$/.test(file)).length).toBeGreaterThan(1)
    // DOMPurify has two licences, of which this one is chosen; monaco-editor contains a copy of it.
    expect(notices).toMatch(/DOMPurify [\d.]+ .*Apache license 2\.0/)
    expect(notices).toContain('markedjs NOTICES AND INFORMATION BEGIN HERE')
  })

  test('is in the lock file, by name and version', () => {
    const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Readonly<Record<string, { readonly version?: string }>>
    }
    const locked = new Set(
      Object.entries(lock.packages).map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`),
    )
    expect(bundled.filter(({ name, version }) => !locked.has(`${name}@${version}`))).toStrictEqual([])
  })

  test('comes with its notice, and both are in the package', () => {
    const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { encoding: 'utf8' })
    const [{ files }] = JSON.parse(stdout) as [{ files: readonly { readonly path: string }[] }]
    const paths = files.map(({ path }) => path)
    for (const path of [NOTICES, PROGRAM_NOTICES, 'dist/main.js']) expect(paths).toContain(path)
    expect(paths).toContain('dist/web/explorer/index.html')
    const unknown = sections(notices + programNotices).filter(({ text }) => text.trim() === '')
    expect(unknown.map(({ name }) => name).filter((name) => !WITHOUT_TEXT.has(name))).toStrictEqual([])
  })
})

test('The program reads only those members of a builtin that it uses', () => {
  const imported = [...readdirSync('dist/program').map((file) => `program/${file}`), 'main.js'].filter((file) =>
    /^(?:import|export) .*\bfrom "node:/m.test(readFileSync(`dist/${file}`, 'utf8')),
  )
  expect(imported).toEqual([])
})

test('The program has the schema of the sources, which is validated here', async () => {
  const sandbox = await startSandbox()
  onTestFinished(() => sandbox.close())
  const { url } = await startReady({ env: settingsFor(sandbox, temporaryFolder()) })
  const schema = createSchema({ production: false })
  expect(validateSchema(schema)).toEqual([])
  for (const source of ['{ _service { sdl } }', getIntrospectionQuery()]) {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: source }),
    })
    const { data } = (await response.json()) as { data: unknown }
    const expected = await graphql({ schema, source })
    expect(data).toEqual(JSON.parse(JSON.stringify(expected.data)))
  }
})

test('The program finds all of undici, which it loads when it first fetches keys', async () => {
  const issuer = await startJwksServer()
  onTestFinished(() => issuer.close())
  const key = issuerKey('key')
  issuer.publish(key.jwk)
  const sandbox = await startSandbox()
  onTestFinished(() => sandbox.close())
  const keys = { JWT_SECRET: '', JWT_JWKS_URL: issuer.url, JWT_ISSUER: 'issuer', JWT_AUDIENCE: 'payments' }
  const { url } = await startReady({ env: { ...settingsFor(sandbox, temporaryFolder()), ...keys } })
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${rsToken(key, CLAIMS)}` },
    body: JSON.stringify({ query: '{ payments(first: 1) { nodes { id } } }' }),
  })
  expect(await response.json()).toEqual({ data: { payments: { nodes: [] } } })
})

test('The program sends requests over connections of undici before it has loaded all of it', async () => {
  const router = await startCallbackRouter()
  onTestFinished(() => router.close())
  const sandbox = await startSandbox()
  onTestFinished(() => sandbox.close())
  const secret = 'secret-of-the-router-1'
  const callbacks = { CALLBACK_ORIGINS: router.origin, ROUTER_SECRETS: secret }
  const { url } = await startReady({ env: { ...settingsFor(sandbox, temporaryFolder()), ...callbacks } })
  const subscription = { callbackUrl: `${router.origin}/callback`, subscriptionId: 'id', verifier: 'verifier' }
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json;callbackSpec=1.0',
      authorization: `Bearer ${await token()}`,
      'x-router-secret': secret,
    },
    body: JSON.stringify({ query: 'subscription { paymentEventStream { cursor } }', extensions: { subscription } }),
  })
  expect(await response.json()).toEqual({ data: null })
  expect(router.told.map(({ action }) => action)).toEqual(['check'])
})

test('A start of the program reads nothing that only a seldom request needs', () => {
  const files = new Set(readdirSync('dist/program', { encoding: 'utf8' }))
  const read = new Set(['run-server.js'])
  for (const file of read)
    for (const [, imported = ''] of readFileSync(`dist/program/${file}`, 'utf8').matchAll(/\bfrom ?"\.\/([^"]+)"/g))
      read.add(imported)
  for (const name of ['undici', 'light-my-request', 'fastify-ajv-compiler', 'glob-dist-commonjs', 'apollo-traces']) {
    expect(files).toContain(`${name}.js`)
    expect(read).not.toContain(`${name}.js`)
  }
  expect(read).toContain('graphql.js')
})

test('The program contains graphql once, since its classes are compared by identity', () => {
  const classes = readdirSync('dist/program', { encoding: 'utf8' })
    .filter((file) => file.endsWith('.js'))
    .flatMap(
      (file) =>
        readFileSync(`dist/program/${file}`, 'utf8').match(/\bclass GraphQLSchema\b|\bGraphQLSchema = class\b/g) ?? [],
    )
  expect(classes).toHaveLength(1)
})

/** Packages without the text of their licence; all of them declare MIT. */
const WITHOUT_TEXT = new Set([
  '@apollo/server',
  '@apollo/usage-reporting-protobuf',
  '@graphiql/plugin-doc-explorer',
  '@graphiql/plugin-history',
  '@graphql-tools/merge',
  '@graphql-tools/schema',
  '@graphql-tools/utils',
  '@whatwg-node/promise-helpers',
  'abstract-logging',
  'cross-inspect',
  'pg-types',
  'pgpass',
  'qrcode-generator',
  'react-compiler-runtime',
  'react-remove-scroll-bar',
])

function sections(text: string): { readonly name: string; readonly text: string }[] {
  return text
    .split(/^## (?=\S+ - \S+ \()/m)
    .slice(1)
    .map((section) => ({ name: section.slice(0, section.indexOf(' ')), text: section.slice(section.indexOf('\n')) }))
}

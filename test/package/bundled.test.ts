import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { startSandbox } from 'payments-subgraph-sandbox'
import { describe, expect, onTestFinished, test } from 'vitest'
import { NOTICES, noticesOfPage, packagesIn, PROGRAM_NOTICES } from '../../scripts/notices.ts'
import { PAGES, type PageName } from '../../vite.config.ts'
import { startJwksServer } from '../e2e/access/jwks-server.ts'
import { mayShip } from '../support/licences.ts'
import { settingsFor, startReady, temporaryFolder } from '../support/process.ts'
import { CLAIMS, issuerKey, rsToken } from '../unit/access/tokens.ts'

const notices = (Object.keys(PAGES) as PageName[]).map((page) => readFileSync(noticesOfPage(page), 'utf8')).join('\n')
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
    for (const name of ['graphql', 'kysely', 'pg', 'ioredis', '@apollo/server']) expect(programNames).toContain(name)
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
    const [{ files, size }] = JSON.parse(stdout) as [{ files: readonly { readonly path: string }[]; size: number }]
    const paths = files.map(({ path }) => path)
    for (const path of [...NOTICES, PROGRAM_NOTICES, 'dist/main.js', 'dist/web/console/index.html'])
      expect(paths).toContain(path)
    // The other pages are for work in the repository. The words of the schema page are in schema.graphql, too.
    const left = /^dist\/web\/.*(?:start|explorer|shop)|^docs\/(?:schema\.md|pictures\/)/
    expect(paths.filter((path) => left.test(path))).toEqual([])
    expect(size).toBeLessThan(3 * 1024 * 1024)
    const unknown = sections(notices + programNotices).filter(({ text }) => text.trim() === '')
    expect(unknown.map(({ name }) => name).filter((name) => !WITHOUT_TEXT.has(name))).toStrictEqual([])
  })
})

test('The program fetches keys', async () => {
  const issuer = await startJwksServer()
  onTestFinished(() => issuer.close())
  const key = issuerKey('key')
  issuer.publish(key.jwk)
  const sandbox = await startSandbox()
  onTestFinished(() => sandbox.close())
  const keys = { JWT_SECRETS: '', JWT_JWKS_URL: issuer.url, JWT_ISSUER: 'issuer', JWT_AUDIENCE: 'payments' }
  const { url } = await startReady({ env: { ...settingsFor(sandbox, temporaryFolder()), ...keys } })
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${rsToken(key, CLAIMS)}` },
    body: JSON.stringify({ query: '{ payments(first: 1) { nodes { id } } }' }),
  })
  expect(await response.json()).toEqual({ data: { payments: { nodes: [] } } })
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
  '@bomb.sh/tab',
  '@apollo/server',
  '@apollo/usage-reporting-protobuf',
  '@graphiql/plugin-doc-explorer',
  '@graphiql/plugin-history',
  '@graphql-tools/merge',
  '@graphql-tools/schema',
  '@graphql-tools/utils',
  '@polka/url',
  '@whatwg-node/promise-helpers',
  'cross-inspect',
  'pg-types',
  'pgpass',
  'qrcode-generator',
  'react-compiler-runtime',
  'react-remove-scroll-bar',
  'sirv',
])

function sections(text: string): { readonly name: string; readonly text: string }[] {
  return text
    .split(/^## (?=\S+ - \S+ \()/m)
    .slice(1)
    .map((section) => ({ name: section.slice(0, section.indexOf(' ')), text: section.slice(section.indexOf('\n')) }))
}

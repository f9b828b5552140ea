import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { NOTICES, packagesIn } from '../scripts/notices.ts'
import { mayShip } from './support/licences.ts'

const notices = readFileSync(NOTICES, 'utf8')
const bundled = packagesIn(notices)

describe('what is in the pages', () => {
  test('is under licences that allow it to ship', () => {
    expect(bundled.length).toBeGreaterThan(50)
    expect(bundled.filter(({ licence }) => !mayShip(licence))).toStrictEqual([])
  })

  test('is known, also of the workers, and of what a package has taken in of others', () => {
    const names = new Set(bundled.map(({ name }) => name))
    for (const name of ['preact', 'react', 'graphiql', 'monaco-editor', 'picomatch-browser'])
      expect(names).toContain(name)
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
    expect(paths).toContain(NOTICES)
    expect(paths).toContain('dist/web/explorer/index.html')
    const unknown = sections(notices).filter(({ text }) => text.trim() === '')
    expect(unknown.map(({ name }) => name).filter((name) => !WITHOUT_TEXT.has(name))).toStrictEqual([])
  })
})

/** Packages without the text of their licence; all of them declare MIT. */
const WITHOUT_TEXT = new Set([
  '@graphiql/plugin-doc-explorer',
  '@graphiql/plugin-history',
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

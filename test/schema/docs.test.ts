import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withMetrics } from '../../scripts/metrics-list.ts'
import { promisesIn, withPromises } from '../../scripts/promises.ts'
import { schemaPage } from '../../scripts/schema-page.ts'
import { withSettings, withSocketLimits } from '../../scripts/settings-tables.ts'
import { SOCKET_LIMITS } from '../../src/config/limits.ts'
import { SETTING_NAMES } from '../../src/config/reading.ts'

const root = join(import.meta.dirname, '../..')
const sdl = readFileSync(join(root, 'schema.graphql'), 'utf8')
const page = readFileSync(join(root, 'docs/schema.md'), 'utf8')

/** Returns the part of a page under a heading, up to the next heading. */
function section(heading: string, text: string): string {
  const after = text.split(`\n${heading}\n`)[1] ?? ''
  return after.split(/\n#+ /)[0] ?? ''
}

describe('docs/schema.md', () => {
  it('is what npm run docs:schema writes', () => {
    expect(page === schemaPage(sdl), 'docs/schema.md is stale: run npm run docs:schema').toBe(true)
  })

  it('leads nowhere that is not there, and to one place each', () => {
    const titles = [...page.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
      title.toLowerCase().replaceAll(/[^\w -]/g, ''),
    )
    const anchors = titles.map((title) => title.replaceAll(' ', '-'))
    const links = [...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor = '']) => anchor)
    expect(links.filter((anchor) => !anchors.includes(anchor))).toEqual([])
    expect(anchors.filter((anchor, index) => anchors.indexOf(anchor) !== index)).toEqual([])
  })
})

describe('the limits of a WebSocket in docs/operations/overload.md', () => {
  const operations = readFileSync(join(root, 'docs/operations/overload.md'), 'utf8')

  it('are what npm run docs:schema writes', () => {
    const written = withSocketLimits(operations, readFileSync(join(root, 'src/config/limits.ts'), 'utf8'))
    expect(operations === written, 'The table is stale: run npm run docs:schema').toBe(true)
  })

  it('are all of them', () => {
    const rows = [...section('## WebSocket limits', operations).matchAll(/^\| `(\w+)` \| [\d,]+ \| \S/gm)]
    expect(new Set(rows.map(([, name]) => name))).toEqual(new Set(Object.keys(SOCKET_LIMITS)))
  })
})

it('the metrics in docs/operations/metrics.md are what npm run docs:schema writes', () => {
  const metrics = readFileSync(join(root, 'docs/operations/metrics.md'), 'utf8')
  expect(metrics.includes('payments_webhooks_total{'), 'The page has no list').toBe(true)
  expect(metrics === withMetrics(metrics), 'The list is stale: run npm run docs:schema').toBe(true)
})

describe('docs/settings.md', () => {
  const settings = readFileSync(join(root, 'docs/settings.md'), 'utf8')

  it('is what npm run docs:schema writes', () => {
    const written = withSettings(settings, readFileSync(join(root, 'src/config/settings.ts'), 'utf8'))
    expect(settings === written, 'The table is stale: run npm run docs:schema').toBe(true)
  })

  it('says something of every setting', () => {
    const rows = [...settings.matchAll(/^\| `(\w+)`(?: \*)? \| (?:`[^`]+`)? \| (?!undefined)\S/gm)]
    expect(rows.map(([, name]) => name)).toEqual(SETTING_NAMES)
  })
})

describe('the promises of the tests', () => {
  const tests = globSync('{test,packages/*/test}/**/*.ts', { cwd: root }).toSorted()
  const promises = promisesIn(new Map(tests.map((path) => [path, readFileSync(join(root, path), 'utf8')])))
  const pages = ['docs/reliability.md', 'docs/security.md'].map((path) => readFileSync(join(root, path), 'utf8'))

  it('stand in the pages as npm run docs:schema writes them', () => {
    const isStale = pages.some((text) => text !== withPromises(text, promises))
    expect(isStale, 'A table is stale: run npm run docs:schema').toBe(false)
  })

  it('have a table for each section, and no table is without one', () => {
    const byName = (a = '', b = '') => a.localeCompare(b)
    const tables = pages.flatMap((text) => Array.from(text.matchAll(/<!-- promises (\w+) -->/g), ([, name]) => name))
    expect(tables.toSorted(byName)).toEqual([...promises.keys()].toSorted(byName))
  })
})

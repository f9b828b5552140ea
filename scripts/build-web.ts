/**
 * Builds the pages to dist/web, compresses the served files, writes the licence notices of the bundled packages, and prints the
 * size of each page at its first visit. Fails when a page is over its budget.
 */
import { readFileSync, globSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'
import { buildOf, PAGES, type PageName, TARGET } from '../vite.config.ts'
import { completeNotices, notePackages } from './notices.ts'

const pages = Object.keys(PAGES) as PageName[]
const KIB = 1024

/**
 * Size budget of a page with everything that it loads before it is usable, in KiB gzipped. It does not apply to pages with a
 * code editor.
 */
const BUDGET_KIB = 150
const WITHOUT_BUDGET = new Set<PageName>(['explorer'])

/** At a higher quality, compressing an editor takes longer than the rest of the build. */
const BROTLI_QUALITY = 9

type Chunk = { readonly file: string; readonly css?: readonly string[]; readonly imports?: readonly string[] }
type Manifest = Readonly<Record<string, Chunk>>

rmSync(TARGET, { recursive: true, force: true })
for (const page of pages) {
  const { plugin, bundled } = notePackages()
  const config = buildOf(page)
  await build({
    ...config,
    plugins: [...(config.plugins ?? []), plugin],
    worker: { ...config.worker, plugins: () => [plugin] },
  })
  completeNotices(page, bundled)
}
for (const file of globSync('**/*.{html,js,css,svg}', { cwd: TARGET })) compress(join(TARGET, file))

const weights = pages.map((page) => ({ page, kib: weightOf(page) / KIB }))
for (const { page, kib } of weights) console.log(`${page.padEnd(10)} ${kib.toFixed(1).padStart(7)} KiB gzip`)
const heavy = weights.filter(({ page, kib }) => kib > BUDGET_KIB && !WITHOUT_BUDGET.has(page))
if (heavy.length > 0) {
  console.error(`More than ${BUDGET_KIB} KiB: ${heavy.map(({ page }) => page).join(', ')}.`)
  process.exitCode = 1
}

function compress(path: string): void {
  const content = readFileSync(path)
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }))
  writeFileSync(
    `${path}.br`,
    brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  )
}

/** Returns the gzipped bytes that a page loads over the network: the page, its scripts with their static imports, and their styles. */
function weightOf(page: PageName): number {
  const manifest = JSON.parse(readFileSync(join(TARGET, `.vite/${page}.json`), 'utf8')) as Manifest
  const html = `${page}/index.html`
  const files = new Set([html])
  const chunks = new Set([html])
  for (const key of chunks) {
    const { file, css = [], imports = [] } = manifest[key] ?? { file: html }
    for (const one of [file, ...css]) files.add(one)
    for (const one of imports) chunks.add(one)
  }
  return Array.from(files, (file) => readFileSync(join(TARGET, `${file}.gz`)).length).reduce((a, b) => a + b, 0)
}

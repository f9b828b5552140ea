/** The packages that the pages and the program bundle, and their licence notices. */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'
import { type PageName, TARGET } from '../vite.config.ts'

/** A package with code in a bundle. */
export type BundledPackage = { readonly name: string; readonly version: string; readonly licence: string }

/** Returns the file to which the build writes the licence notices of a page. It ships with it. */
export function noticesOfPage(page: PageName): string {
  return `${TARGET}/.vite/${page}.md`
}

/** The notices of the pages that are in the package of the server. */
export const NOTICES = (['console', 'sandbox'] as const).map(noticesOfPage)

/** The headings of the notices, as Vite writes them. */
const HEAD = /^## (\S+) - (\S+) \((.+)\)$/gm

/** The file with those of the program. */
export const PROGRAM_NOTICES = 'dist/program/license.md'

/** Returns the packages that the notices name. */
export function packagesIn(notices: string): BundledPackage[] {
  return [...notices.matchAll(HEAD)].map(([, name = '', version = '', licence = '']) => ({ name, version, licence }))
}

/** Package folders, each with the licence banners of third-party code in its files. */
export type Bundled = ReadonlyMap<string, ReadonlySet<string>>

/** Returns a Vite plugin that records the bundled packages; one instance serves a page and its workers. */
export function notePackages(): { readonly plugin: Plugin; readonly bundled: Bundled } {
  const bundled = new Map<string, Set<string>>()
  const plugin: Plugin = {
    name: 'note-packages',
    generateBundle(_options, bundle) {
      for (const part of Object.values(bundle))
        for (const module of part.type === 'chunk' ? part.moduleIds : []) {
          const [, path = '', folder = ''] = PACKAGE.exec(module) ?? []
          if (folder === '') continue
          const banners = bundled.get(folder) ?? new Set()
          bundled.set(folder, banners)
          const [banner] = BANNER.exec(readFileSync(path, 'utf8')) ?? []
          if (banner !== undefined) banners.add(banner)
        }
    },
  }
  return { plugin, bundled }
}

/** Matches a module's file and the innermost package that contains it. */
const PACKAGE = /^\0?((.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\/[^?]+)/
/** Matches a licence banner, which a minifier must keep but does not. */
const BANNER = /^\/\*! @license [^*]*\*\//

/**
 * Completes the notices of a page. Vite writes those of the packages in the page's own bundle; it omits the packages of
 * workers, and third-party code that a package includes (DOMPurify and marked in monaco-editor).
 */
export function completeNotices(page: PageName, bundled: Bundled): void {
  const path = noticesOfPage(page)
  const notices = readFileSync(path, 'utf8')
  const known = new Set(packagesIn(notices).map(({ name, version }) => `${name}@${version}`))
  write(path, [notices.trimEnd(), ...noticesOf(bundled, known)])
}

/** Writes the notices of the program. */
export function writeProgramNotices(bundled: Bundled): void {
  write(PROGRAM_NOTICES, noticesOf(bundled, new Set()))
}

/** Returns the notices of packages; only third-party code in them for those whose own notice is known. */
function noticesOf(bundled: Bundled, known: ReadonlySet<string>): string[] {
  return [...bundled]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([folder, banners]) => {
      const { name, version, license } = manifestOf(folder)
      const head = `## ${name} - ${version} (${license})`
      const own = known.has(`${name}@${version}`) ? [] : [head].concat(texts(folder, OWN))
      return own.concat(texts(folder, THIRD_PARTY), Array.from(banners))
    })
}

function write(path: string, notices: readonly string[]): void {
  writeFileSync(path, `${notices.join('\n\n')}\n`)
}

const OWN = '{LICENSE,LICENCE,License,license}{,-MIT,.md,.txt}'
const THIRD_PARTY = '{ThirdPartyNotices,NOTICE}{,.md,.txt}'

function texts(folder: string, names: string): string[] {
  return globSync(names, { cwd: folder }).map((name) => readFileSync(join(folder, name), 'utf8').trim())
}

function manifestOf(folder: string): { readonly name: string; readonly version: string; readonly license: string } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as ReturnType<typeof manifestOf>
}

/** The program as `scripts/build-program.ts` bundles it. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

export const SOURCE = 'src'
export const TARGET = 'dist'
export const PROGRAM = `${TARGET}/main.js`

/** The packages of this repository that the program contains. */
export const PACKAGES = ['graphql-plan', 'graphql-sockets', 'payments-subgraph-sandbox']
/** Their folders of sources, with those of the package that is part of the sandbox. */
export const PACKAGE_SOURCES = ['graphql-plan', 'graphql-sockets', 'lib', 'sandbox'].map(
  (name) => `packages/${name}/src`,
)

/** npm writes this file whenever it changes a package. */
const INSTALLED = 'node_modules/.package-lock.json'
/** What the build reads. */
const BUILD = [INSTALLED, 'scripts/build-program.ts', ...[SOURCE, ...PACKAGE_SOURCES].flatMap(withAllBelow)]

/** Returns whether the program has been built, and no source or package has been changed, added or removed since. */
export function isProgramBuilt(): boolean {
  const builtAt = modifiedAt(PROGRAM)
  const isUnchanged = (path: string) => modifiedAt(path) <= builtAt
  return builtAt > 0 && BUILD.every(isUnchanged)
}

/** Returns the paths of all files and folders: a removed file changes nothing but its folder. */
function withAllBelow(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  return [path, ...readdirSync(path, { encoding: 'utf8', recursive: true }).map((name) => join(path, name))]
}

/** Returns milliseconds since the epoch; 0 for a file that does not exist. */
function modifiedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

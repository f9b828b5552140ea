import { matchesGlob } from 'node:path'

/** The layers of `npm test`; the folder of a file says which it belongs to. All other folders of `test` are those of `npm run test:all`. */
export const LAYERS = {
  /** No socket, no database, no process. The files right in `test` read the repository itself. */
  unit: ['test/*.test.ts', 'test/unit/**/*.test.ts'],
  /** What each package promises by itself. */
  packages: ['{packages,examples}/*/test/**/*.test.ts'],
  /** The ledger on SQLite, and on PostgreSQL where there is one. */
  store: ['test/store/**/*.test.ts'],
  /** Each promise over real HTTP and sockets. */
  e2e: ['test/e2e/**/*.test.ts'],
  /** Each page once. */
  browser: ['test/browser/**/*.test.ts'],
}

/** Returns whether `npm test` runs a file, given by its path from the root of the repository. */
export function isInLayers(path: string): boolean {
  return Object.values(LAYERS)
    .flat()
    .some((pattern) => matchesGlob(path, pattern))
}

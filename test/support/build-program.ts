import { execFileSync } from 'node:child_process'
import { globSync, statSync, utimesSync } from 'node:fs'
import { isProgramBuilt } from '../../scripts/program.ts'

/** Outputs of `npm run prepare`, with their inputs and scripts. */
const GENERATED = [
  { made: 'src/graphql/generated.ts', sources: ['schema.graphql', 'codegen.ts'], script: 'codegen' },
  {
    made: 'packages/client/src/generated/documents.ts',
    sources: ['schema.graphql', 'packages/client/src/operations'],
    script: 'codegen',
  },
  {
    made: 'dist/web/.vite/shop.json',
    sources: ['packages/pages/src', 'examples/shop', 'packages/client/src'],
    script: 'build:web',
  },
]

/** Builds the program and its pages before any test starts them, if a source has changed since they were built. */
export function setup(): void {
  for (const { made, sources, script } of GENERATED) {
    const madeAt = modifiedAt(made)
    if (!sources.some((source) => lastModified(source) > madeAt)) continue
    run(script)
    // The script does not rewrite unchanged outputs; with their old time, every run would generate them again.
    const now = new Date()
    utimesSync(made, now, now)
  }
  if (!isProgramBuilt()) run('build:program')
}

function run(script: string): void {
  execFileSync('npm', ['run', '--silent', script], { stdio: 'inherit' })
}

/** Returns the last modification of a file, or of the files in a folder except the generated ones, in milliseconds since the epoch. */
function lastModified(path: string): number {
  const below = globSync(`${path}/**/*`, { exclude: ['**/generated/**'] })
  return Math.max(...[path, ...below].map(modifiedAt))
}

/** Returns milliseconds since the epoch; 0 for a file that does not exist. */
function modifiedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

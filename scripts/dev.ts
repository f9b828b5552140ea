/**
 * Runs the subgraph and its sandbox, restarts them when a source file changes, rebuilds the pages when one of their files
 * changes, and regenerates the types when the schema changes. `npm run dev`; Ctrl-C ends it. Arguments are passed on to the
 * program.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { globSync, rmSync, watch } from 'node:fs'
import { build } from 'vite'
import { buildOf, PAGES, type PageName } from '../vite.config.ts'
import { PACKAGE_SOURCES } from './program.ts'

/** Delay in milliseconds: editors write a file in several steps. */
const SETTLE_MS = 100

const program: ChildProcess = spawn(
  process.execPath,
  [
    ...['schema.graphql', 'src', 'examples/shop/server', ...PACKAGE_SOURCES].map((path) => `--watch-path=${path}`),
    '--watch-preserve-output',
    'scripts/start.ts',
    ...process.argv.slice(2),
  ],
  { stdio: 'inherit' },
)
program.once('exit', (code) => process.exit(code ?? 1))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => program.kill(signal))

// The types are generated from the schema; the program reads the schema itself.
let settling: NodeJS.Timeout | undefined
watch('schema.graphql', () => {
  clearTimeout(settling)
  settling = setTimeout(() => spawnSync('npm', ['run', '--silent', 'codegen'], { stdio: 'inherit' }), SETTLE_MS)
})

// The server would serve the compressed files of an earlier build instead of the new ones.
for (const path of globSync('dist/web/**/*.{gz,br}')) rmSync(path)
for (const page of Object.keys(PAGES) as PageName[]) {
  const config = buildOf(page)
  await build({ ...config, logLevel: 'info', build: { ...config.build, watch: {} } })
}

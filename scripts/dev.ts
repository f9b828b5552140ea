/**
 * Runs the subgraph and its sandbox, restarts them when a source file changes, rebuilds the pages when one of their files
 * changes, and regenerates the types when the schema changes. `npm run dev`; Ctrl-C ends it. Arguments are passed on to the
 * program.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { globSync, readdirSync, rmSync, watch } from 'node:fs'
import { build } from 'vite'
import config from '../vite.config.ts'
import { PACKAGE_SOURCES } from './program.ts'

/** Delay in milliseconds: editors write a file in several steps. */
const SETTLE_MS = 100

/** All of src, except for the pages. */
const sources = readdirSync('src')
  .filter((name) => name !== 'web')
  .map((name) => `src/${name}`)

const program: ChildProcess = spawn(
  process.execPath,
  [
    ...['schema.graphql', ...PACKAGE_SOURCES, ...sources].map((path) => `--watch-path=${path}`),
    '--watch-preserve-output',
    'src/main.ts',
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
await build({ ...config, configFile: false, build: { ...config.build, emptyOutDir: false, watch: {} } })

/**
 * Runs the subgraph and its sandbox, and starts them again when a source file changes; builds the pages again when one of
 * theirs changes, and the types when the schema does. `npm run dev`; Ctrl-C ends it. Arguments are passed on to the program.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { globSync, readdirSync, rmSync, watch } from 'node:fs'
import { build } from 'vite'
import config from '../vite.config.ts'

/** Editors write a file in several steps. */
const SETTLE_MS = 100

/** What the pages and the kit are made of is no part of the program. */
const OTHERS = new Set(['web', 'client'])
const watched = readdirSync('src').filter((name) => !OTHERS.has(name))

const program: ChildProcess = spawn(
  process.execPath,
  [
    ...['schema.graphql', ...watched.map((name) => `src/${name}`)].map((path) => `--watch-path=${path}`),
    '--watch-preserve-output',
    'src/main.ts',
    ...process.argv.slice(2),
  ],
  { stdio: 'inherit' },
)
program.once('exit', (code) => process.exit(code ?? 1))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => program.kill(signal))

// Types are made of the schema; the program reads the schema itself.
let settling: NodeJS.Timeout | undefined
watch('schema.graphql', () => {
  clearTimeout(settling)
  settling = setTimeout(() => spawnSync('npm', ['run', '--silent', 'codegen'], { stdio: 'inherit' }), SETTLE_MS)
})

// The compressed files of an earlier build would be served in the place of those that are built now.
for (const path of globSync('dist/web/**/*.{gz,br}')) rmSync(path)
await build({ ...config, configFile: false, build: { ...config.build, emptyOutDir: false, watch: {} } })

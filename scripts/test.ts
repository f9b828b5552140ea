/**
 * Runs the tests and prints a final line with the result, such as `312 passed, 0 failed`. Arguments are those of `vitest
 * run`: filters, or options such as `-t <name>`. The exit code is 0 only when tests ran, none failed, and no more than a few
 * passed on a retry (retries happen only in CI). Temporary files are in memory where it has room, and otherwise where TMPDIR says.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, globSync, mkdtempSync, rmSync, statfsSync, statSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseCLI, startVitest } from 'vitest/node'
import type { Vitest } from 'vitest/node'
import { isGreen, summary } from './test-tally.ts'
import type { Tally } from './test-tally.ts'

/** Outputs of `npm run prepare`, with their inputs and scripts. */
const GENERATED = [
  { made: 'src/graphql/generated.ts', sources: ['schema.graphql', 'codegen.ts'], script: 'codegen' },
  {
    made: 'src/client/generated/documents.ts',
    sources: ['schema.graphql', 'src/client/operations'],
    script: 'codegen',
  },
  { made: 'dist/web/.vite/manifest.json', sources: ['src/web', 'src/client'], script: 'build:web' },
]

/** Bytes of memory that have to be free: beside databases, servers and browsers keep their files there. */
const ROOM = 6 * 2 ** 30

// The workers, and the programs that tests start, compile each module once for all of them.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'payments-compiled')
process.env['TMPDIR'] ??= folderInMemory() ?? tmpdir()
for (const { made, sources, script } of GENERATED) if (isStale(made, sources)) generate(made, script)
const vitest = await runTests(process.argv.slice(2))
const again = secondTries(vitest)
for (const name of again) console.log(`needed a second try: ${name}`)
const tally = tallyOf(vitest)
console.log(summary(tally))
// Exits explicitly, because a handle that a test left open would keep the process running.
process.exit(isGreen(tally, again.length) ? 0 : 1)

/**
 * Returns a new folder in memory for the databases of the tests, which are synced thousands of times; null where memory has no room for
 * them. It is removed when the process ends.
 */
function folderInMemory(): string | null {
  const memory = '/dev/shm'
  if (!existsSync(memory)) return null
  const { bavail, bsize } = statfsSync(memory)
  if (Math.min(bavail * bsize, process.availableMemory()) < ROOM) return null
  const folder = mkdtempSync(join(memory, 'payments-tests-'))
  // Servers of tests run as users of their own.
  chmodSync(folder, 0o1777)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function runTests(args: string[]): Promise<Vitest> {
  const { filter, options } = parseCLI(['vitest', 'run', ...args])
  return startVitest(filter, { ...options, watch: false, passWithNoTests: false })
}

/** Returns the tests that failed first and passed on a retry; they need attention. */
function secondTries({ state }: Vitest): string[] {
  const tests = state.getTestModules().flatMap(({ children }) => Array.from(children.allTests()))
  return tests.filter((test) => test.diagnostic()?.flaky).map(({ fullName }) => fullName)
}

/**
 * Returns the numbers of a run. A failure outside of tests counts as failed: a file that does not load, a hook that throws, an unhandled
 * rejection.
 */
function tallyOf({ state }: Vitest): Tally {
  const modules = state.getTestModules()
  const states = modules.flatMap(({ children }) => Array.from(children.allTests(), (test) => test.result().state))
  const suites = modules.flatMap(({ children }) => Array.from(children.allSuites()))
  const broken = [...modules, ...suites].filter((suite) => suite.errors().length > 0)
  const outside = broken.length + state.getUnhandledErrors().length
  const count = (wanted: string): number => states.filter((found) => found === wanted).length
  return {
    passed: count('passed'),
    failed: count('failed') + count('pending') + outside,
    skipped: count('skipped'),
  }
}

function isStale(made: string, sources: readonly string[]): boolean {
  const madeAt = modifiedAt(made)
  return sources.some((source) => lastModified(source) > madeAt)
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

function generate(made: string, script: string): void {
  const { status } = spawnSync('npm', ['run', '--silent', script], { stdio: 'inherit' })
  if (status !== 0) {
    console.error(`${made} could not be made.`)
    process.exit(1)
  }
  // The script does not rewrite unchanged outputs; with their old time, every run would generate them again.
  const now = new Date()
  utimesSync(made, now, now)
}

/**
 * Runs the tests and prints a final line with the result, such as `312 passed, 0 failed`: those of `npm test`; with `--all` all others; with
 * a path those below it, wherever it leads. `--minutes=20` begins no test after that time, and names the files that were left out. Other
 * arguments are those of `vitest run`, such as `-t <name>` and `--shard=1/4`. The exit code is 0 only when tests ran and none failed.
 * Temporary files are in memory where it has room, and otherwise where TMPDIR says.
 */
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { createVitest, parseCLI } from 'vitest/node'
import type { TestModule, Vitest } from 'vitest/node'
import { LAYERS } from './test-layers.ts'

/** The numbers of a run. */
type Tally = { readonly passed: number; readonly failed: number; readonly skipped: number }

/** Bytes of memory that have to be free: beside databases, servers and browsers keep their files there. */
const ROOM = 6 * 2 ** 30

const MINUTES = /^--minutes=(\d+)$/

const given = process.argv.slice(2)
const minutes = Number(given.map((arg) => MINUTES.exec(arg)?.[1]).find(Boolean) ?? Infinity)
const args = given.filter((arg) => arg !== '--all' && !MINUTES.test(arg))
// The workers, and the programs that tests start, compile each module once for all of them.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'payments-compiled')
process.env['TMPDIR'] ??= folderInMemory() ?? tmpdir()
const vitest = await runTests()
for (const name of secondTries(vitest)) console.log(`needed a second try: ${name}`)
const tally = tallyOf(vitest)
console.log(summary(tally))
// Exits explicitly, because a handle that a test left open would keep the process running.
process.exit(tally.failed === 0 && tally.passed > 0 ? 0 : 1)

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

async function runTests(): Promise<Vitest> {
  const { filter, options } = parseCLI(['vitest', 'run', ...args])
  const project = options.project ?? projectsFor(filter)
  const run = await createVitest('test', { ...options, project, run: true, watch: false, passWithNoTests: false })
  let isOver = false
  const end = () => {
    isOver = true
    // Tests that have begun are run to their end.
    void run.cancelCurrentRun('keyboard-input')
  }
  const timer = minutes === Infinity ? undefined : setTimeout(end, minutes * 60_000)
  await run.start(filter)
  clearTimeout(timer)
  if (isOver) nameLeftOut(run)
  return run
}

/** Returns the projects of a run, as filters of their names: a path alone says where a file belongs. */
function projectsFor(filter: readonly string[]): string[] {
  const layers = Object.keys(LAYERS)
  if (given.includes('--all')) return layers.map((name) => `!${name}`)
  const folderOf = (name: string) => (name === 'packages' ? 'packages/' : `test/${name}/`)
  const named = layers.filter((name) => filter.length > 0 && filter.every((path) => path.startsWith(folderOf(name))))
  if (named.length > 0) return named
  return filter.length > 0 ? [] : layers
}

/** Names the files that were not run to their end. */
function nameLeftOut({ state }: Vitest): void {
  const left = state.getTestModules().filter((module) => !isWhole(module))
  console.log(`${minutes} minutes are over. ${left.length} files were left out, wholly or in part:`)
  for (const { moduleId } of left) console.log(`  ${relative(process.cwd(), moduleId)}`)
}

/** Returns whether each test of a file has run, or was skipped by itself. */
function isWhole({ children }: TestModule): boolean {
  const tests = Array.from(children.allTests())
  return tests.length > 0 && tests.every((test) => test.options.mode !== 'run' || test.result().state !== 'skipped')
}

/** Returns the tests that passed at a second try, which runs with `--retry` give them. */
function secondTries({ state }: Vitest): string[] {
  const tests = state.getTestModules().flatMap(({ children }) => Array.from(children.allTests()))
  return tests.filter((test) => test.diagnostic()?.flaky).map(({ fullName }) => fullName)
}

/** Returns the last line of a run. It names skipped tests only when there are any. */
function summary({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
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
